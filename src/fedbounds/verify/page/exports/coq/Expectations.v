(* Random vectors on a finite product of probability spaces, one for each source: means over some of
   the sources, and the mean of the inner product. What steps use of them is proved here, once. *)
From Coq Require Import Reals Lra Lia List NArith FunctionalExtensionality.
Import ListNotations.
Open Scope R_scope.

Fixpoint weighted (l : list (R * nat)) (f : nat -> R) : R :=
  match l with
  | [] => 0
  | (p, o) :: rest => p * f o + weighted rest f
  end.

Record space := {
  sources : list nat;
  law : nat -> list (R * nat);
  law_sign : forall s p o, In (p, o) (law s) -> 0 <= p;
  law_total : forall s, weighted (law s) (fun _ => 1) = 1;
  dimension : nat
}.

Definition point := nat -> nat.
Definition vec := nat -> point -> R.

Definition put (w : point) (s o : nat) : point := fun r => if Nat.eqb r s then o else w r.

Lemma weighted_ext : forall l f g, (forall o, f o = g o) -> weighted l f = weighted l g.
Proof. intros l f g H. induction l as [ | [p o] l IH]; simpl; [reflexivity | ]. rewrite H, IH. reflexivity. Qed.

Lemma weighted_plus : forall l f g, weighted l (fun o => f o + g o) = weighted l f + weighted l g.
Proof. intros l f g. induction l as [ | [p o] l IH]; simpl; [ring | ]. rewrite IH. ring. Qed.

Lemma weighted_scal : forall l c f, weighted l (fun o => c * f o) = c * weighted l f.
Proof. intros l c f. induction l as [ | [p o] l IH]; simpl; [ring | ]. rewrite IH. ring. Qed.

Lemma weighted_swap : forall l m f,
  weighted l (fun a => weighted m (fun b => f a b)) = weighted m (fun b => weighted l (fun a => f a b)).
Proof.
  intros l m f. induction l as [ | [p o] l IH]; simpl.
  - induction m as [ | [q a] m IH]; simpl; [reflexivity | ]. rewrite <- IH. ring.
  - rewrite IH. rewrite <- weighted_scal. rewrite <- weighted_plus. reflexivity.
Qed.

Lemma weighted_nonneg : forall l f, (forall p o, In (p, o) l -> 0 <= p) -> (forall o, 0 <= f o) ->
  0 <= weighted l f.
Proof.
  intros l f H F. induction l as [ | [p o] l IH]; simpl; [lra | ].
  apply Rplus_le_le_0_compat.
  - apply Rmult_le_pos; [apply (H p o); left; reflexivity | apply F].
  - apply IH. intros q a I. apply (H q a). right. exact I.
Qed.

Section Expectations.
Variable P : space.

Definition average (s : nat) (f : point -> R) : point -> R :=
  fun w => weighted (law P s) (fun o => f (put w s o)).

Lemma put_put : forall w s o a, put (put w s o) s a = put w s a.
Proof.
  intros. apply functional_extensionality. intro r. unfold put. destruct (Nat.eqb r s); reflexivity.
Qed.

Lemma put_swap : forall w s r o a, s <> r -> put (put w s o) r a = put (put w r a) s o.
Proof.
  intros w s r o a H. apply functional_extensionality. intro x. unfold put.
  destruct (Nat.eqb_spec x r), (Nat.eqb_spec x s); congruence.
Qed.

Lemma average_fixed : forall s f w o, average s f (put w s o) = average s f w.
Proof. intros. unfold average. apply weighted_ext. intro a. rewrite put_put. reflexivity. Qed.

Lemma weighted_const : forall s c, weighted (law P s) (fun _ => c) = c.
Proof.
  intros s c. transitivity (c * weighted (law P s) (fun _ => 1)).
  - rewrite <- weighted_scal. apply weighted_ext. intro. ring.
  - rewrite (law_total P s). ring.
Qed.

Lemma average_factor : forall s f g w,
  average s (fun z => f z * average s g z) w = average s f w * average s g w.
Proof.
  intros s f g w. unfold average at 1. rewrite Rmult_comm.
  change (average s f w) with (weighted (law P s) (fun o => f (put w s o))).
  rewrite <- weighted_scal. apply weighted_ext. intro o. rewrite average_fixed. ring.
Qed.

Lemma average_again : forall s f, average s (average s f) = average s f.
Proof.
  intros s f. apply functional_extensionality. intro w. unfold average at 1.
  rewrite <- (weighted_const s (average s f w)). apply weighted_ext. intro o. apply average_fixed.
Qed.

Lemma average_swap : forall s r f, average s (average r f) = average r (average s f).
Proof.
  intros s r f. destruct (Nat.eq_dec s r) as [-> | H]; [reflexivity | ].
  apply functional_extensionality. intro w. unfold average. rewrite weighted_swap.
  apply weighted_ext. intro a. apply weighted_ext. intro o. rewrite put_swap by congruence. reflexivity.
Qed.

Lemma average_plus : forall s f g, average s (fun w => f w + g w) = fun w => average s f w + average s g w.
Proof. intros. apply functional_extensionality. intro w. apply weighted_plus. Qed.

Lemma average_scal : forall s c f, average s (fun w => c * f w) = fun w => c * average s f w.
Proof. intros. apply functional_extensionality. intro w. apply weighted_scal. Qed.

(* the mean over the sources that are not kept *)
Fixpoint over (l : list nat) (keep : N) (f : point -> R) : point -> R :=
  match l with
  | [] => f
  | s :: rest => if N.testbit keep (N.of_nat s) then over rest keep f else average s (over rest keep f)
  end.

Lemma over_average : forall l X r f, over l X (average r f) = average r (over l X f).
Proof.
  intros l X r f. induction l as [ | s l IH]; simpl; [reflexivity | ].
  destruct (N.testbit X (N.of_nat s)); rewrite IH; [reflexivity | apply average_swap].
Qed.

Lemma over_over : forall l X Y f, over l X (over l Y f) = over l (N.land X Y) f.
Proof.
  intros l X Y f. induction l as [ | s l IH]; simpl; [reflexivity | ].
  rewrite N.land_spec.
  destruct (N.testbit X (N.of_nat s)), (N.testbit Y (N.of_nat s)); simpl;
    rewrite ?over_average, ?IH; try reflexivity.
  apply average_again.
Qed.

Lemma over_plus : forall l X f g, over l X (fun w => f w + g w) = fun w => over l X f w + over l X g w.
Proof.
  intros l X f g. induction l as [ | s l IH]; simpl; [reflexivity | ].
  destruct (N.testbit X (N.of_nat s)); rewrite IH; [reflexivity | apply average_plus].
Qed.

Lemma over_scal : forall l X c f, over l X (fun w => c * f w) = fun w => c * over l X f w.
Proof.
  intros l X c f. induction l as [ | s l IH]; simpl; [reflexivity | ].
  destruct (N.testbit X (N.of_nat s)); rewrite IH; [reflexivity | apply average_scal].
Qed.

Lemma over_nonneg : forall l X f, (forall w, 0 <= f w) -> forall w, 0 <= over l X f w.
Proof.
  intros l X f H. induction l as [ | s l IH]; simpl; [exact H | ].
  destruct (N.testbit X (N.of_nat s)); [exact IH | ]. intro w. unfold average.
  apply weighted_nonneg; [intros p o; apply law_sign | intro o; apply IH].
Qed.

Definition all (f : point -> R) : point -> R := over (sources P) 0 f.

Lemma over_absorbs : forall l s f, In s l -> average s (over l 0 f) = over l 0 f.
Proof.
  intros l s f I. induction l as [ | r l IH]; [contradiction | ]. simpl.
  destruct I as [-> | I]; [apply average_again | ].
  rewrite average_swap, IH by exact I. reflexivity.
Qed.

Lemma all_average : forall s f, In s (sources P) -> all (average s f) = all f.
Proof. intros. unfold all. rewrite over_average. apply over_absorbs. assumption. Qed.

Lemma all_moves : forall s f g, In s (sources P) ->
  all (fun w => average s f w * g w) = all (fun w => f w * average s g w).
Proof.
  intros s f g I. rewrite <- (all_average s (fun w => average s f w * g w)) by exact I.
  rewrite <- (all_average s (fun w => f w * average s g w)) by exact I. f_equal.
  apply functional_extensionality. intro w. rewrite average_factor.
  transitivity (average s (fun z => g z * average s f z) w).
  - f_equal. apply functional_extensionality. intro z. ring.
  - rewrite average_factor. ring.
Qed.

Lemma all_adjoint : forall l X f g, incl l (sources P) ->
  all (fun w => over l X f w * g w) = all (fun w => f w * over l X g w).
Proof.
  intros l X f g. revert g. induction l as [ | s l IH]; intros g I; simpl; [reflexivity | ].
  assert (incl l (sources P)) by (intros a A; apply I; right; exact A).
  destruct (N.testbit X (N.of_nat s)); [apply IH; assumption | ].
  rewrite all_moves by (apply I; left; reflexivity).
  rewrite IH by assumption. rewrite over_average. reflexivity.
Qed.

(* ---- vectors *)

Definition vzero : vec := fun _ _ => 0.
Definition vadd (x y : vec) : vec := fun j w => x j w + y j w.
Definition vscale (c : R) (x : vec) : vec := fun j w => c * x j w.
Definition mean (keep : N) (x : vec) : vec := fun j => over (sources P) keep (x j).

Fixpoint coordinates (d : nat) (f : nat -> R) : R :=
  match d with
  | O => 0
  | S j => coordinates j f + f j
  end.

Definition ip (x y : vec) : R :=
  coordinates (dimension P) (fun j => all (fun w => x j w * y j w) (fun _ => 0%nat)).

Lemma coordinates_ext : forall d f g, (forall j, f j = g j) -> coordinates d f = coordinates d g.
Proof. intros d f g H. induction d; simpl; [reflexivity | ]. rewrite IHd, H. reflexivity. Qed.

Lemma coordinates_plus : forall d f g,
  coordinates d (fun j => f j + g j) = coordinates d f + coordinates d g.
Proof. intros d f g. induction d; simpl; [ring | ]. rewrite IHd. ring. Qed.

Lemma coordinates_scal : forall d c f, coordinates d (fun j => c * f j) = c * coordinates d f.
Proof. intros d c f. induction d; simpl; [ring | ]. rewrite IHd. ring. Qed.

Lemma ip_sym : forall x y, ip x y = ip y x.
Proof.
  intros. apply coordinates_ext. intro j. f_equal. f_equal. apply functional_extensionality. intro.
  ring.
Qed.

Lemma ip_add_l : forall x y z, ip (vadd x y) z = ip x z + ip y z.
Proof.
  intros. unfold ip. rewrite <- coordinates_plus. apply coordinates_ext. intro j. unfold all, vadd.
  replace (fun w => (x j w + y j w) * z j w) with (fun w => x j w * z j w + y j w * z j w).
  - rewrite over_plus. reflexivity.
  - apply functional_extensionality. intro. ring.
Qed.

Lemma ip_scale_l : forall c x z, ip (vscale c x) z = c * ip x z.
Proof.
  intros. unfold ip. rewrite <- coordinates_scal. apply coordinates_ext. intro j. unfold all, vscale.
  replace (fun w => c * x j w * z j w) with (fun w => c * (x j w * z j w)).
  - rewrite over_scal. reflexivity.
  - apply functional_extensionality. intro. ring.
Qed.

Lemma ip_zero_l : forall z, ip vzero z = 0.
Proof.
  intro z. replace vzero with (vscale 0 vzero).
  - rewrite ip_scale_l. ring.
  - apply functional_extensionality. intro j. apply functional_extensionality. intro w.
    unfold vscale, vzero. ring.
Qed.

Lemma ip_add_r : forall x y z, ip z (vadd x y) = ip z x + ip z y.
Proof. intros. rewrite ip_sym, ip_add_l, (ip_sym x), (ip_sym y). reflexivity. Qed.

Lemma ip_scale_r : forall c x z, ip z (vscale c x) = c * ip z x.
Proof. intros. rewrite ip_sym, ip_scale_l, (ip_sym x). reflexivity. Qed.

Lemma ip_zero_r : forall z, ip z vzero = 0.
Proof. intro. rewrite ip_sym. apply ip_zero_l. Qed.

Lemma ip_nonneg : forall x, 0 <= ip x x.
Proof.
  intro x. unfold ip. induction (dimension P); simpl; [lra | ].
  apply Rplus_le_le_0_compat; [exact IHn | ]. apply over_nonneg. intro w.
  pose proof (pow2_ge_0 (x n w)). simpl in *. lra.
Qed.

Lemma mean_add : forall X x y, mean X (vadd x y) = vadd (mean X x) (mean X y).
Proof. intros. apply functional_extensionality. intro j. apply over_plus. Qed.

Lemma mean_scale : forall X c x, mean X (vscale c x) = vscale c (mean X x).
Proof. intros. apply functional_extensionality. intro j. apply over_scal. Qed.

Lemma mean_mean : forall X Y x, mean X (mean Y x) = mean (N.land X Y) x.
Proof. intros. apply functional_extensionality. intro j. apply over_over. Qed.

Lemma mean_zero : forall X, mean X vzero = vzero.
Proof.
  intro X. replace vzero with (vscale 0 vzero) at 1.
  - rewrite mean_scale. apply functional_extensionality. intro j. apply functional_extensionality.
    intro w. unfold vscale, vzero. ring.
  - apply functional_extensionality. intro j. apply functional_extensionality. intro w.
    unfold vscale, vzero. ring.
Qed.

(* the tower rule: only what both may depend on is kept *)
Lemma ip_mean : forall X Y x y,
  ip (mean X x) (mean Y y) = ip (mean (N.land X Y) x) (mean (N.land X Y) y).
Proof.
  assert (A : forall X x y, ip (mean X x) y = ip x (mean X y)).
  { intros X x y. apply coordinates_ext. intro j. unfold mean.
    rewrite all_adjoint by apply incl_refl. reflexivity. }
  intros X Y x y. rewrite A, mean_mean. rewrite (A (N.land X Y)), mean_mean.
  rewrite N.land_diag. reflexivity.
Qed.

(* a vector that depends on some sources, and one whose mean over a source vanishes *)
Lemma kept : forall X D Z x, mean D x = x -> N.land X D = Z -> mean X x = mean Z x.
Proof. intros X D Z x H <-. rewrite <- H at 1. apply mean_mean. Qed.

Lemma centred_l : forall X Y M x y, mean M x = vzero -> N.land (N.land X Y) M = N.land X Y ->
  ip (mean X x) (mean Y y) = 0.
Proof.
  intros X Y M x y H E. rewrite ip_mean. rewrite <- E at 1.
  rewrite <- mean_mean, H, mean_zero. apply ip_zero_l.
Qed.

Lemma centred_r : forall X Y M x y, mean M y = vzero -> N.land (N.land X Y) M = N.land X Y ->
  ip (mean X x) (mean Y y) = 0.
Proof.
  intros X Y M x y H E. rewrite ip_sym. apply centred_l with M; [exact H | ].
  rewrite (N.land_comm Y X). exact E.
Qed.

End Expectations.

Lemma named_vec : forall x : vec, exists e, x = e.
Proof. intro x. exists x. reflexivity. Qed.

(* means of sums are sums of means *)
Ltac spread :=
  repeat first
    [ rewrite mean_add
    | rewrite mean_scale
    | rewrite mean_zero
    | rewrite mean_mean ];
  repeat match goal with
  | |- context [N.land ?a ?b] =>
    let c := eval vm_compute in (N.land a b) in change (N.land a b) with c
  end.

(* inner products of sums are sums of inner products *)
Ltac bilinear :=
  repeat first
    [ rewrite ip_add_l
    | rewrite ip_scale_l
    | rewrite ip_zero_l
    | rewrite ip_add_r
    | rewrite ip_scale_r
    | rewrite ip_zero_r ].

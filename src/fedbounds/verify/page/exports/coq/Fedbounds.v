(* What the exported steps use, proved once. Nothing here speaks of a paper. *)
From Coq Require Import Reals Lra Lia ZArith.
Open Scope R_scope.

(* ---- counts, rounds and steps are real numbers that are whole *)

Definition whole (x : R) : Prop := exists j : nat, x = INR j.
Definition count (x : R) : Prop := exists j : nat, x = INR (S j).

Lemma whole_nonneg : forall x, whole x -> 0 <= x.
Proof. intros x [j ->]. apply pos_INR. Qed.

Lemma whole_0 : whole 0.
Proof. exists 0%nat. reflexivity. Qed.

Lemma whole_num : forall p, whole (IZR (Zpos p)).
Proof. intro p. exists (Pos.to_nat p). rewrite INR_IZR_INZ, positive_nat_Z. reflexivity. Qed.

Lemma whole_plus : forall x y, whole x -> whole y -> whole (x + y).
Proof. intros x y [i ->] [j ->]. exists (i + j)%nat. symmetry. apply plus_INR. Qed.

Lemma whole_mult : forall x y, whole x -> whole y -> whole (x * y).
Proof. intros x y [i ->] [j ->]. exists (i * j)%nat. symmetry. apply mult_INR. Qed.

Lemma whole_minus : forall x y, whole x -> whole y -> y <= x -> whole (x - y).
Proof.
  intros x y [i ->] [j ->] H. apply INR_le in H. exists (i - j)%nat.
  symmetry. apply minus_INR. exact H.
Qed.

Lemma whole_count : forall x, count x -> whole x.
Proof. intros x [j ->]. exists (S j). reflexivity. Qed.

Lemma count_at_least : forall x, count x -> 1 <= x.
Proof. intros x [j ->]. rewrite S_INR. pose proof (pos_INR j). lra. Qed.

Lemma count_positive : forall x, count x -> 0 < x.
Proof. intros x H. apply count_at_least in H. lra. Qed.

Lemma whole_gap : forall x b, whole x -> whole b -> b <= x -> x = b \/ b + 1 <= x.
Proof.
  intros x b [i ->] [j ->] H. apply INR_le in H.
  destruct (Nat.eq_dec i j) as [-> | N]; [left; reflexivity | right].
  rewrite <- S_INR. apply le_INR. lia.
Qed.

(* what holds at a start, and one further from each place, holds from there on *)
Lemma whole_induction : forall (P : R -> Prop) a b,
  whole a -> P a ->
  (forall x, whole x -> a <= x -> x + 1 <= b -> P x -> P (x + 1)) ->
  forall x, whole x -> a <= x -> x <= b -> P x.
Proof.
  intros P a b [i ->] H0 HS x [j ->] Ha Hb.
  apply INR_le in Ha. revert Hb. induction Ha as [ | j Ha IH]; intro Hb.
  - exact H0.
  - rewrite S_INR in *. apply HS.
    + exists j. reflexivity.
    + apply le_INR. exact Ha.
    + exact Hb.
    + apply IH. lra.
Qed.

(* ---- comparisons *)

Lemma le_by : forall l r d, r - l = d -> 0 <= d -> l <= r.
Proof. intros. lra. Qed.

Lemma eq_by : forall l r d, r - l = d -> d = 0 -> l = r.
Proof. intros. lra. Qed.

Lemma sign_by : forall c g w, 0 < c -> 0 <= g -> g = c * w -> 0 <= w.
Proof.
  intros c g w Hc Hg E. destruct (Rle_or_lt 0 w) as [H | H]; [exact H | exfalso].
  pose proof (Rmult_lt_0_compat c (- w) Hc). nra.
Qed.

Lemma zero_by : forall c g w, c <> 0 -> g = 0 -> g = c * w -> w = 0.
Proof. intros c g w Hc Hg E. rewrite Hg in E. symmetry in E.
  apply Rmult_integral in E. tauto. Qed.

Lemma times_le : forall t l r, 0 <= t -> l <= r -> 0 <= t * (r - l).
Proof. intros. apply Rmult_le_pos; lra. Qed.

Lemma times_eq : forall t l r, l = r -> t * (r - l) = 0.
Proof. intros. subst. ring. Qed.

Lemma times_eq_le : forall t l r, l = r -> 0 <= t * (r - l).
Proof. intros. subst. replace (t * (r - r)) with 0 by ring. lra. Qed.

Lemma squares_le : forall a b, 0 <= a -> a <= b -> a ^ 2 <= b ^ 2.
Proof. intros. nra. Qed.

(* ---- names for what is not an expression in parameters *)

Lemma named : forall x : R, exists q, x = q.
Proof. intro x. exists x. reflexivity. Qed.

Lemma named_nonneg : forall x, 0 <= x -> exists q, x = q /\ 0 <= q.
Proof. intros x H. exists x. split; [reflexivity | exact H]. Qed.

Lemma named_pos : forall x, 0 < x -> exists q, x = q /\ 0 < q.
Proof. intros x H. exists x. split; [reflexivity | exact H]. Qed.

(* ---- roots and powers; a power of 0 is 0, but for the exponent 0 *)

Lemma sqrt_is : forall x r, 0 <= r -> x = r ^ 2 -> sqrt x = r.
Proof. intros x r H E. rewrite E. apply sqrt_pow2. exact H. Qed.

Definition pw (x e : R) : R :=
  if Rlt_dec 0 x then Rpower x e else if Req_EM_T e 0 then 1 else 0.

Lemma pw_positive : forall x e, 0 < x -> 0 < pw x e.
Proof. intros x e H. unfold pw. destruct (Rlt_dec 0 x); [apply exp_pos | contradiction]. Qed.

Lemma pw_nonneg : forall x e, 0 <= pw x e.
Proof.
  intros x e. unfold pw. destruct (Rlt_dec 0 x).
  - left. apply exp_pos.
  - destruct (Req_EM_T e 0); lra.
Qed.

Lemma pw_nat : forall x j, 0 <= x -> pw x (INR j) = x ^ j.
Proof.
  intros x j H. unfold pw. destruct (Rlt_dec 0 x) as [P | P].
  - apply Rpower_pow. exact P.
  - assert (x = 0) by lra. subst x. destruct j as [ | j].
    + simpl. destruct (Req_EM_T 0 0); [reflexivity | lra].
    + rewrite pow_ne_zero by lia. destruct (Req_EM_T (INR (S j)) 0) as [E | E]; [ | reflexivity].
      apply INR_eq with (m := 0%nat) in E. lia.
Qed.

Lemma pw_plus : forall x a b, 0 < x -> pw x (a + b) = pw x a * pw x b.
Proof.
  intros x a b H. unfold pw. destruct (Rlt_dec 0 x); [apply Rpower_plus | contradiction].
Qed.

Lemma pw_opp : forall x a, 0 < x -> pw x (- a) = / pw x a.
Proof. intros x a H. unfold pw. destruct (Rlt_dec 0 x); [apply Rpower_Ropp | contradiction]. Qed.

(* a power with a whole part in its exponent *)
Lemma pw_up : forall x e X r j, 0 < X -> x = X -> e = r + INR j -> pw x e = pw X r * X ^ j.
Proof.
  intros x e X r j H -> ->. rewrite pw_plus by exact H. rewrite pw_nat by lra. reflexivity.
Qed.

Lemma pw_down : forall x e X r j, 0 < X -> x = X -> e = r - INR j -> pw x e = pw X r / X ^ j.
Proof.
  intros x e X r j H -> ->. unfold Rminus. rewrite pw_plus by exact H.
  rewrite pw_opp by exact H. rewrite pw_nat by lra. reflexivity.
Qed.

Lemma pw_up_whole : forall x e X r j, 0 <= X -> whole r -> x = X -> e = r + INR j ->
  pw x e = pw X r * X ^ j.
Proof.
  intros x e X r j H [i ->] -> ->. rewrite <- plus_INR, !pw_nat by exact H.
  apply pow_add.
Qed.

Lemma pw_root : forall x e y p q, 0 <= y -> (0 < q)%nat -> (0 < p)%nat ->
  x = y ^ q -> e * INR q = INR p -> pw x e = y ^ p.
Proof.
  intros x e y p q Hy Hq Hp -> E.
  assert (Q : 0 < INR q) by (apply lt_0_INR; exact Hq).
  assert (P : 0 < INR p) by (apply lt_0_INR; exact Hp).
  destruct Hy as [Hy | <-].
  - unfold pw. destruct (Rlt_dec 0 (y ^ q)) as [_ | N]; [ | exfalso; apply N; apply pow_lt; exact Hy].
    rewrite <- Rpower_pow by exact Hy. rewrite Rpower_mult.
    replace (INR q * e) with (INR p) by lra. apply Rpower_pow. exact Hy.
  - rewrite !pow_ne_zero by lia. unfold pw. destruct (Rlt_dec 0 0); [lra | ].
    destruct (Req_EM_T e 0) as [-> | _]; [lra | reflexivity].
Qed.

Lemma root_exists : forall x q, 0 < x -> (0 < q)%nat -> exists y, 0 < y /\ x = y ^ q.
Proof.
  intros x q H Hq. exists (Rpower x (/ INR q)). split; [apply exp_pos | ].
  rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult.
  replace (/ INR q * INR q) with 1.
  - symmetry. apply Rpower_1. exact H.
  - field. apply not_0_INR. lia.
Qed.

(* ---- charts *)

Lemma above : forall x b, b <= x -> exists y, 0 <= y /\ x = b + y.
Proof. intros x b H. exists (x - b). split; lra. Qed.

Lemma below : forall x b, 0 < x -> 0 < b -> x <= b -> exists y, 0 <= y /\ x = b / (1 + y).
Proof.
  intros x b Hx Hb H. exists (b / x - 1). split.
  - assert (1 <= b / x); [ | lra]. apply Rmult_le_reg_r with x; [exact Hx | ].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - field. split; lra.
Qed.

Lemma scaled : forall x b q, 0 < b -> (0 < q)%nat -> b <= x ->
  exists y, 0 <= y /\ x = b * (1 + y) ^ q.
Proof.
  intros x b q Hb Hq H.
  destruct (root_exists (x / b) q) as [y [Hy E]].
  - apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; exact Hb].
  - exact Hq.
  - exists (y - 1). replace (1 + (y - 1)) with y by ring. split.
    + destruct (Rle_or_lt 1 y) as [L | L]; [lra | exfalso].
      assert (y ^ q < 1).
      { destruct q as [ | q]; [lia | ]. clear E Hq. induction q as [ | q IH].
        - simpl. lra.
        - replace (y ^ S (S q)) with (y * y ^ S q) by reflexivity. nra. }
      assert (1 <= x / b); [ | lra]. apply Rmult_le_reg_r with b; [exact Hb | ].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + rewrite <- E. field. lra.
Qed.

Lemma solve_root : forall w, 0 <= w -> exists y, 0 <= y /\ w = y ^ 2.
Proof. intros w H. exists (sqrt w). split; [apply sqrt_pos | symmetry; apply pow2_sqrt; exact H]. Qed.

(* ---- a bound by a root, from all its tangents *)

Lemma root_of_tangents : forall x b, 0 <= b ->
  (forall d, 0 < d -> x <= d / 2 + b / (2 * d)) -> x <= sqrt b.
Proof.
  intros x b [Hb | <-] H.
  - pose proof (sqrt_lt_R0 b Hb) as P. specialize (H (sqrt b) P).
    pose proof (sqrt_sqrt b (Rlt_le _ _ Hb)) as E.
    set (s := sqrt b) in *. clearbody s. subst b.
    replace (s / 2 + s * s / (2 * s)) with s in H by (field; lra). exact H.
  - rewrite sqrt_0. destruct (Rle_or_lt x 0) as [L | L]; [exact L | exfalso].
    specialize (H x L). replace (x / 2 + 0 / (2 * x)) with (x / 2) in H by (field; lra). lra.
Qed.

Lemma tangent : forall x b d, 0 <= b -> 0 < d -> x <= sqrt b -> x <= d / 2 + b / (2 * d).
Proof.
  intros x b d Hb Hd H. apply Rle_trans with (1 := H).
  pose proof (sqrt_pos b) as P. pose proof (sqrt_sqrt b Hb) as E.
  set (s := sqrt b) in *. clearbody s. subst b.
  apply le_by with ((d - s) ^ 2 / (2 * d)); [field; lra | ].
  apply Rmult_le_pos; [apply pow2_ge_0 | ]. left. apply Rinv_0_lt_compat. lra.
Qed.

(* ---- facts *)

Lemma fact_root_grows : forall x y, 0 <= x -> x <= y -> sqrt x <= sqrt y.
Proof. intros. apply sqrt_le_1; lra. Qed.

Lemma fact_power_grows : forall q a b, 1 <= q -> a <= b -> pw q a <= pw q b.
Proof.
  intros q a b Hq H. unfold pw. destruct (Rlt_dec 0 q); [ | lra].
  destruct Hq as [Hq | <-]; [apply Rle_Rpower; lra | ].
  unfold Rpower. rewrite ln_1, !Rmult_0_r. lra.
Qed.

(* ---- signs: sums, products and quotients of what has a known sign *)

Lemma pos_weak : forall x, 0 < x -> 0 <= x.
Proof. intros; lra. Qed.

Lemma quot_nonneg : forall a b, 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros. apply Rmult_le_pos; [ | left; apply Rinv_0_lt_compat]; assumption. Qed.

Lemma quot_pos : forall a b, 0 < a -> 0 < b -> 0 < a / b.
Proof. intros. apply Rmult_lt_0_compat; [ | apply Rinv_0_lt_compat]; assumption. Qed.

Lemma sum_pos_l : forall a b, 0 < a -> 0 <= b -> 0 < a + b.
Proof. intros; lra. Qed.

Lemma sum_pos_r : forall a b, 0 <= a -> 0 < b -> 0 < a + b.
Proof. intros; lra. Qed.

Ltac pos :=
  lazymatch goal with
  | |- 0 <= IZR _ => lra
  | |- 0 < IZR _ => lra
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; pos
  | |- 0 <= _ * _ => apply Rmult_le_pos; pos
  | |- 0 <= _ / _ => apply quot_nonneg; pos
  | |- 0 <= / _ => left; apply Rinv_0_lt_compat; pos
  | |- 0 <= _ ^ _ => apply pow_le; pos
  | |- 0 <= ?x => first [assumption | apply pos_weak; assumption | apply sqrt_pos | apply pw_nonneg
       | apply Rle_trans with 1; [lra | assumption]]
  | |- 0 < _ + _ => first [apply sum_pos_l; [pos | pos] | apply sum_pos_r; [pos | pos]]
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; pos
  | |- 0 < _ / _ => apply quot_pos; pos
  | |- 0 < / _ => apply Rinv_0_lt_compat; pos
  | |- 0 < _ ^ _ => apply pow_lt; pos
  | |- 0 < sqrt _ => apply sqrt_lt_R0; pos
  | |- 0 < ?x => first [assumption | apply pw_positive; pos]
  end.

(* what is divided by is positive, or negative, once it is multiplied out *)
Ltac nonzero :=
  lazymatch goal with
  | |- _ /\ _ => split; nonzero
  | |- ?x <> 0 =>
    first
      [ apply Rgt_not_eq; red; pos
      | apply Rgt_not_eq; red; ring_simplify; pos
      | apply Rlt_not_eq; apply Ropp_lt_cancel; rewrite Ropp_0; ring_simplify; pos ]
  | |- True => exact I
  | _ => idtac
  end.

Ltac same := first [ring | field; nonzero].

Lemma solve_linear : forall a b x z, 0 < b -> a + b * x = z -> x = (z - a) / b.
Proof. intros a b x z H <-. field. lra. Qed.

Lemma sum_zero : forall a b, a = 0 -> b = 0 -> a + b = 0.
Proof. intros; lra. Qed.

(* ---- sums over rounds, clients and steps *)

Definition places (x : R) : nat := Z.to_nat (up x - 1).

Fixpoint sum_up (j : nat) (f : R -> R) : R :=
  match j with
  | O => 0
  | S i => sum_up i f + f (INR i)
  end.

Definition sum (x : R) (f : R -> R) : R := sum_up (places x) f.

Lemma sum_nonneg : forall x f, (forall y, 0 <= f y) -> 0 <= sum x f.
Proof.
  intros x f H. unfold sum. induction (places x) as [ | j IH]; simpl; [lra | ].
  specialize (H (INR j)). lra.
Qed.

Ltac signs :=
  first
    [ assumption
    | match goal with H : forall _, 0 <= _ |- _ => apply H end
    | match goal with H : forall _ _, 0 <= _ |- _ => apply H end
    | match goal with H : forall _ _ _, 0 <= _ |- _ => apply H end
    | apply sum_nonneg; intro; signs ].

Ltac wholes :=
  lazymatch goal with
  | |- whole ((?x - 1) + 1) => replace ((x - 1) + 1) with x by ring; wholes
  | |- whole (_ + _) => apply whole_plus; wholes
  | |- whole (_ - _) => apply whole_minus; [wholes | wholes | lra]
  | |- whole (_ * _) => apply whole_mult; wholes
  | |- whole 0 => exact whole_0
  | |- whole (IZR _) => apply whole_num
  | |- _ => first [assumption | apply whole_count; assumption]
  end.

Ltac lesser :=
  first
    [ apply Rle_refl
    | apply Rmin_l
    | apply Rmin_r
    | eapply Rle_trans; [apply Rmin_r | lesser] ].

Ltac greater :=
  first
    [ apply Rle_refl
    | apply Rmax_l
    | apply Rmax_r
    | eapply Rle_trans; [ | apply Rmax_r]; greater ].

(* one of the arguments of a maximum or a minimum, times and over what is positive *)
Ltac within :=
  first
    [ lesser
    | greater
    | apply Rmult_le_compat_l; [pos | within]
    | apply Rmult_le_compat_r; [pos | within] ].

Ltac weaken H := first [apply Rle_trans with (1 := H); within | apply Rle_trans with (2 := H); within].

Ltac extremes := first [lesser | greater].

Lemma places_whole : forall j, places (INR j) = j.
Proof.
  intro j. unfold places. rewrite <- (up_tech (INR j) (Z.of_nat j)).
  - replace (Z.of_nat j + 1 - 1)%Z with (Z.of_nat j) by lia. apply Nat2Z.id.
  - rewrite <- INR_IZR_INZ. lra.
  - rewrite plus_IZR, <- INR_IZR_INZ. lra.
Qed.

Lemma sum_ext : forall x f g, (forall y, f y = g y) -> sum x f = sum x g.
Proof.
  intros x f g H. unfold sum. induction (places x) as [ | j IH]; simpl; [reflexivity | ].
  rewrite IH, H. reflexivity.
Qed.

Lemma sum_plus : forall x f g, sum x (fun y => f y + g y) = sum x f + sum x g.
Proof.
  intros x f g. unfold sum. induction (places x) as [ | j IH]; simpl; [ring | rewrite IH; ring].
Qed.

Lemma sum_scal : forall x c f, sum x (fun y => c * f y) = c * sum x f.
Proof.
  intros x c f. unfold sum. induction (places x) as [ | j IH]; simpl; [ring | rewrite IH; ring].
Qed.

Lemma sum_const : forall x c, whole x -> sum x (fun _ => c) = x * c.
Proof.
  intros x c [j ->]. unfold sum. rewrite places_whole.
  induction j as [ | j IH]; [simpl; ring | ]. rewrite S_INR. simpl sum_up. rewrite IH. ring.
Qed.

Lemma sum_next : forall x f, whole x -> sum (x + 1) f = sum x f + f x.
Proof.
  intros x f [j ->]. unfold sum. rewrite <- S_INR, !places_whole. reflexivity.
Qed.

Lemma sum_last : forall x f, count x -> sum (x - 1) f = sum x f - f (x - 1).
Proof.
  intros x f [j ->]. rewrite S_INR. replace (INR j + 1 - 1) with (INR j) by ring.
  rewrite sum_next by (exists j; reflexivity). ring.
Qed.

Lemma sum_shift : forall x f, whole x -> sum x (fun y => f (y + 1)) = sum x f - f 0 + f x.
Proof.
  intros x f [j ->]. unfold sum. rewrite places_whole.
  induction j as [ | j IH]; [simpl; ring | ].
  replace (sum_up (S j) (fun y => f (y + 1))) with (sum_up j (fun y => f (y + 1)) + f (INR j + 1))
    by reflexivity.
  rewrite IH, S_INR. simpl. ring.
Qed.

Lemma sum_le : forall x f g, whole x ->
  (forall y, whole y -> 0 <= y -> y <= x - 1 -> f y <= g y) -> sum x f <= sum x g.
Proof.
  intros x f g [j ->] H. unfold sum. rewrite places_whole.
  induction j as [ | j IH]; [simpl; lra | ]. simpl sum_up.
  assert (sum_up j f <= sum_up j g).
  { apply IH. intros y W P L. apply H; [exact W | exact P | rewrite S_INR; lra]. }
  assert (f (INR j) <= g (INR j)); [ | lra].
  apply H; [exists j; reflexivity | apply pos_INR | rewrite S_INR; lra].
Qed.

Lemma sum_eq : forall x f g, whole x ->
  (forall y, whole y -> 0 <= y -> y <= x - 1 -> f y = g y) -> sum x f = sum x g.
Proof.
  intros x f g W H. apply Rle_antisym; apply sum_le; try exact W; intros y A B C;
    right; [ | symmetry]; apply H; assumption.
Qed.

Lemma sum_zero_nonneg : forall x f, whole x ->
  (forall y, whole y -> 0 <= y -> y <= x - 1 -> 0 <= f y) -> 0 <= sum x f.
Proof.
  intros x f W H. replace 0 with (sum x (fun _ => 0)) by (rewrite sum_const; [ring | exact W]).
  apply sum_le; assumption.
Qed.

Lemma sum_all_zero : forall x f, whole x ->
  (forall y, whole y -> 0 <= y -> y <= x - 1 -> f y = 0) -> sum x f = 0.
Proof.
  intros x f W H. replace 0 with (sum x (fun _ => 0)) by (rewrite sum_const; [ring | exact W]).
  apply sum_eq; assumption.
Qed.

Lemma gap_of : forall l r, l <= r -> 0 <= r - l.
Proof. intros; lra. Qed.

Lemma zero_of : forall l r, l = r -> r - l = 0.
Proof. intros; lra. Qed.

(* 1 + q + ... + q^N *)
Lemma sum_powers : forall q x, whole x -> 0 <= q -> q <> 1 ->
  sum x (fun y => pw q y) = (pw q x - 1) / (q - 1).
Proof.
  intros q x [j ->] Hq H. unfold sum. rewrite places_whole.
  induction j as [ | j IH].
  - rewrite (pw_nat q 0) by exact Hq. simpl. field. lra.
  - change (sum_up (S j) (fun y => pw q y)) with (sum_up j (fun y => pw q y) + pw q (INR j)).
    rewrite IH, !pw_nat by exact Hq. simpl. field. lra.
Qed.

Lemma pw_whole : forall x e X j, 0 <= X -> x = X -> e = INR j -> pw x e = X ^ j.
Proof. intros x e X j H -> ->. apply pw_nat. exact H. Qed.

Lemma sum_shift_last : forall x f, count x -> sum (x - 1) (fun y => f (y + 1)) = sum x f - f 0.
Proof.
  intros x f [j ->]. rewrite S_INR. replace (INR j + 1 - 1) with (INR j) by ring.
  rewrite sum_shift by (exists j; reflexivity).
  rewrite sum_next by (exists j; reflexivity). ring.
Qed.

Lemma sum_const_last : forall x c, count x -> sum (x - 1) (fun _ => c) = (x - 1) * c.
Proof.
  intros x c [j ->]. rewrite S_INR. replace (INR j + 1 - 1) with (INR j) by ring.
  apply sum_const. exists j. reflexivity.
Qed.

Lemma sum2_plus : forall x z f g,
  sum x (fun i => sum z (fun k => f i k + g i k)) =
  sum x (fun i => sum z (fun k => f i k)) + sum x (fun i => sum z (fun k => g i k)).
Proof.
  intros. rewrite <- sum_plus. apply sum_ext. intro. apply sum_plus.
Qed.

Lemma sum2_scal : forall x z c f,
  sum x (fun i => sum z (fun k => c * f i k)) = c * sum x (fun i => sum z (fun k => f i k)).
Proof.
  intros. rewrite <- sum_scal. apply sum_ext. intro. apply sum_scal.
Qed.

Lemma sum2_const : forall x z f, whole z ->
  sum x (fun i => sum z (fun _ => f i)) = z * sum x f.
Proof.
  intros. rewrite <- sum_scal. apply sum_ext. intro. apply sum_const. assumption.
Qed.

Ltac sum_terms :=
  repeat first
    [ rewrite sum2_plus
    | rewrite sum2_scal
    | rewrite sum2_const by assumption
    | rewrite sum_plus
    | rewrite sum_scal
    | rewrite sum_const by assumption
    | rewrite sum_const_last by assumption
    | rewrite sum_shift by assumption
    | rewrite sum_shift_last by assumption
    | rewrite sum_last by assumption ].

"""The vectors that the claims speak of.

Of a local step of a client: y is its model w_k^t, after the next one, g the gradient of its own
objective there, noise what a minibatch adds to it, est the two-point estimate. Before a vector, m
stands for the mask. Values are numbers of a client, vectors of one coordinate, as one is, which is
1.
"""

from fedbounds.theory.proof.vectors import vectors

y, after, g, mg, noise, mn, est, dirs = vectors(
    {
        "y": "w_k^t",
        "after": "w_k^{t+1}",
        "g": r"\nabla f_k(w_k^t)",
        "mg": r"(\mathbf m\odot\nabla f_k(w_k^t))",
        "noise": r"\varepsilon_k^t",
        "mn": r"(\mathbf m\odot\varepsilon_k^t)",
        "est": r"\widehat\nabla f_k^t",
        "dirs": r"\bar z",
    }
)
gap, one, ones = vectors({"gap": "(f_k(w_k^t)-f_k^*)", "one": "1", "ones": r"\mathbf 1"})

# ---- of a round: w is w^r, ys and gs belong to a client and a local step

dev = vectors({"dev": r"(\widehat\nabla f_k^t-\mathbf m\odot\nabla f_k(w_k^t;(x_t,y_t)))"})[0]
w, w_next, w_star, g0, ys, gs, mgs, ns, mns, ests, dirs_s, first, reached, best = vectors(
    {
        "w": "w^r",
        "w_next": "w^{r+1}",
        "w_star": "w^*",
        "g0": r"\nabla f_k(w^r)",
        "ys": "w_k^{r,t}",
        "gs": r"\nabla f_k(w_k^{r,t})",
        "mgs": r"(\mathbf m\odot\nabla f_k(w_k^{r,t}))",
        "ns": r"\varepsilon_k^{r,t}",
        "mns": r"(\mathbf m\odot\varepsilon_k^{r,t})",
        "ests": r"\widehat\nabla f_k^{r,t}",
        "dirs_s": r"\bar z_k^{r,t}",
        "first": r"\widehat\nabla f_k^{r,0}",
        "reached": "w_k^{r,T}",
        "best": "w_k^*",
    }
)
mg0, n0, mn0, dirs0 = vectors(
    {
        "mg0": r"(\mathbf m\odot\nabla f_k(w^r))",
        "n0": r"\varepsilon_k^{r,0}",
        "mn0": r"(\mathbf m\odot\varepsilon_k^{r,0})",
        "dirs0": r"\bar z_k^{r,0}",
    }
)
dev0 = vectors({"dev0": r"(\widehat\nabla f_k^{r,0}-\mathbf m\odot\nabla f_k(w^r;(x,y)))"})[0]
# k before a vector: of kept clients; s: of stopped ones; 0 of the others
kgs, kmgs, kests, sg, sg0, smg0, sfirst = vectors(
    {
        "kgs": r"1_{k\in K_g}\nabla f_k(w_k^{r,t})",
        "kmgs": r"1_{k\in K_g}(\mathbf m\odot\nabla f_k(w_k^{r,t}))",
        "kests": r"1_{k\in K_g}\widehat\nabla f_k^{r,t}",
        "sg": r"1_{k\in K_b}\nabla f(w^r)",
        "sg0": r"1_{k\in K_b}\nabla f_k(w^r)",
        "smg0": r"1_{k\in K_b}(\mathbf m\odot\nabla f_k(w^r))",
        "sfirst": r"1_{k\in K_b}\widehat\nabla f_k^{r,0}",
    }
)
# c: of the local steps that are taken
cg, cmgs, cmg0, cests, away = vectors(
    {
        "cg": r"1_{t<T_k}(\mathbf m\odot\nabla f(w^r))",
        "cmgs": r"1_{t<T_k}(\mathbf m\odot\nabla f_k(w_k^{r,t}))",
        "cmg0": r"1_{t<T_k}(\mathbf m\odot\nabla f_k(w^r))",
        "cests": r"1_{t<T_k}\widehat\nabla f_k^{r,t}",
        "away": r"1_{t<T_k}(w_k^{r,t}-w^r)",
    }
)
values, at_star, lows = vectors({"values": "f_k(w^r)", "at_star": "f_k(w^*)", "lows": "f_k^*"})

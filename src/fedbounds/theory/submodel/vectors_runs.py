"""The vectors of claims that runs are other runs: the clients' own models, and virtual ones.

Their step k runs from 0 to K, that of gradients to K - 1.
"""

from fedbounds.theory.proof.vectors import vectors

w_k, my_k, cy_k, cx, step_k, w_next, my_next, cy_next = vectors(
    {
        "w_k": "w_{i,k}",
        "my_k": r"m\odot y_{i,k}",
        "cy_k": r"(\mathbf 1-m)\odot y_{i,k}",
        "cx": r"(\mathbf 1-m)\odot w^t",
        "step_k": r"m\odot\nabla f_i(w_{i,k};\xi)",
        "w_next": "w_{i,k+1}",
        "my_next": r"m\odot y_{i,k+1}",
        "cy_next": r"(\mathbf 1-m)\odot y_{i,k+1}",
    }
)
y_K, back, server, virtual, sgd, sgd_step, masked_step = vectors(
    {
        "y_K": "y_{i,K}",
        "back": r"(w_{i,K}+(\mathbf 1-m)\odot w^t)",
        "server": "w^{t+1}",
        "virtual": r"P_{\mathcal W}(\tfrac1N\textstyle\sum_iy_{i,K})",
        "sgd": r"w^{t+1}_{\mathrm{SGD}}",
        "sgd_step": r"\nabla f_i(w_{i,k};\xi)",
        "masked_step": r"m\odot\nabla f_i(m\odot y_{i,k};\xi)",
    }
)

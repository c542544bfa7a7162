"""Ran, Guo, Sun, Pan, Yu, Wang, Xie, Chen, Zhang, Xu: Meerkat, sparse zeroth-order training."""

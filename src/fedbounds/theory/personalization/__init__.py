"""Chen, Cao, Yuan, Wen: sharper convergence guarantees for partial model personalisation."""

"""Appeals: who may still ask, what an appeal rests on, and what accepting it would change."""

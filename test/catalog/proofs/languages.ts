import type { Proofs } from '../proof.js';

export const languages: Proofs = {};

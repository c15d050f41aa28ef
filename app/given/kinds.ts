import type { GivenKinds } from './given-kind.js';

/** All kinds of references whose values are read by who submits a definition: one file each. */
export const GIVEN_KINDS: GivenKinds = {};

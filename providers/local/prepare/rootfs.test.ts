import { expect, it } from 'vitest';
import { fingerprint } from '../../../sdk/index.js';
import { FILES, MASKED_UNITS, PACKAGES, RECIPE, REMOVED_FILES } from './rootfs.js';

/** Content hash of each recipe. A change of the image must raise RECIPE and add a line. */
const RECIPES: Record<number, string> = { 1: '5ef2924babb0c4f4' };

it('what the host image holds changes only together with the number of its recipe', () => {
  expect(RECIPES[RECIPE]).toBe(fingerprint({ FILES, MASKED: MASKED_UNITS, PACKAGES, REMOVED: REMOVED_FILES }));
});

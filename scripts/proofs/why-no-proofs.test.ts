import { expect, test } from 'vitest';
import { whyNoProofs } from './why-no-proofs.js';

test('a machine that lacks a program proves nothing, and says which', async () =>
  expect(await whyNoProofs(['bash', 'no-such-program', 'nor-this'])).toBe('it lacks no-such-program, nor-this'));

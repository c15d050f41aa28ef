import { formerCheckout, RELEASE } from '../support/former.js';
import { playSmallest } from './play-smallest.js';

// Its other subjects are bench:batch and bench:converge, on two commits.
await playSmallest('paired', {
  env: { RUNS: '1' },
  args: ['operation', '--against', 'release', '--rounds', '1'],
  prepare: () => formerCheckout(RELEASE).then(() => ({})),
});

import { playSmallest } from './play-smallest.js';

await playSmallest('api', {
  env: {
    ...{ INFRAS: '3', ENDED: '20', RATE: '10', SECONDS: '2', KIND_RATE: '10', KIND_SECONDS: '1' },
    ...{ WORK_FROM: '1', WORK_SECONDS: '1', WORK_STEPS: '2' },
  },
});

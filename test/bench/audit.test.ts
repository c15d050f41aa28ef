import { playSmallest } from './play-smallest.js';

await playSmallest('audit', { env: { RECORDS: '20', TAMPERED: '400' } });

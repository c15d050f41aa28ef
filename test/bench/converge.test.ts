import { peersHere } from './peers-here.js';
import { playSmallest } from './play-smallest.js';

await playSmallest('converge', { env: { HOSTS: '1', SERVICES: 'redis', ROUNDS: '1' }, onHosts: true, prepare: peersHere });

import { playSmallest } from './play-smallest.js';

await playSmallest('first-install', { env: { HOSTS: '1', SERVICES: 'redis', ROUNDS: '1' }, onHosts: true });

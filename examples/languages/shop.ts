// One infra in each language: all files here say the same.
import { defineInfra } from 'provisioning/sdk';

const greeting = (who: string) => `Hello from ${who}`;

export default defineInfra({
  infra: 'shop',
  provider: 'demo',
  servers: [
    { name: 'web', count: 2, plan: 'small' },
    { name: 'db', plan: 'medium', volumes: [{ name: 'data', size: '10 GiB', mount: '/srv/data' }] },
  ],
  taskservs: [
    { name: 'nginx', on: { role: 'web' }, config: { page: greeting('the shop') } },
    { name: 'redis', on: { server: 'db' }, config: { maxMemory: '256 MiB' } },
  ],
});

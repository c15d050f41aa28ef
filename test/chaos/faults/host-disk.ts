import { shellOf } from '../../support/hosts.js';
import { healDisk, SICK_DISKS } from '../../support/sick-disk.js';
import type { Fault } from '../fault.js';
import { judgeHosts, prepareHosts, submitOnHosts } from './host-work.js';

export const hostDisk: Fault[] = [
  {
    name: 'disk-full-on-host',
    about: 'the state folder of a host has no space or no inodes, or is read-only: the operation names that at its first attempt',
    on: 'hosts',
    async round(stage) {
      const work = await prepareHosts(stage);
      const name = stage.pick(Object.keys(SICK_DISKS) as (keyof typeof SICK_DISKS)[]);
      const { begin, code, says } = SICK_DISKS[name];
      stage.moment.push(name);
      const shell = shellOf(stage.infra, 'a');
      await shell(begin);
      stage.strike();
      try {
        const operation = await submitOnHosts(stage, work, { onFailure: 'keep' });
        const { status, error } = await stage.result(operation);
        stage.demand(status === 'failed' && error?.code === code, `it ended ${status}: ${error?.code}: ${error?.why}`);
        stage.demand(error?.why.includes(says) === true, `the error says nothing of it: ${error?.why}`);
      } finally {
        await shell(healDisk);
      }
      await judgeHosts(stage, { ...work, operation: await submitOnHosts(stage, work) });
    },
  },
];

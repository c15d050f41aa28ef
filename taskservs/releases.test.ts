import { expect, test } from 'vitest';
import { loadModules } from '../core/registry.js';
import { findHeldVersion } from '../core/versions/release-versions.js';
import { absentValue, type Facts } from '../sdk/index.js';
import { taskservs } from './registry.generated.js';

const modules = await loadModules(taskservs);

const HOST = { name: 'web-1', role: 'web', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 2048, release: 'debian-13' };

// Services whose releases differ by more than the version: names of packages, files or units.
test.each(['docker', 'java', 'php-fpm', 'postfix', 'python', 'samba'])(
  '%s of a host that was taken for Debian 12 is planned for the release that it has',
  (name) => {
    const taskserv = modules[name];
    const version = taskserv && findHeldVersion(taskserv.versions, HOST.release);
    if (!taskserv || !version) throw new Error(`${name} is not for ${HOST.release}`);
    const config = taskserv.config.parse({});
    const askedFor = (supposed: string) => {
      const facts: Facts = taskserv.facts(config, supposed);
      const found = Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, absentValue(fact)]));
      return taskserv.plan(config, found, { host: HOST, peers: [], version });
    };
    expect(version).not.toBe(taskserv.versions.default);
    expect(askedFor(taskserv.versions.default)).toEqual(askedFor(version));
  },
);

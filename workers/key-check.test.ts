import { expect, test } from 'vitest';
import { workerIdentity } from '../core/names.js';
import { refuseKeysOfOneMachine } from './key-check.js';

const at = (...hosts: string[]) => hosts.map((host) => ({ identity: workerIdentity('b1', 7, host) }));

test.each([['local' as const], [undefined]])(
  'keys wrapped by %s: a worker starts where all workers of its store are on its machine',
  (kms) => {
    expect(() => refuseKeysOfOneMachine(at('here', 'here'), [kms], 'here')).not.toThrow();
    expect(() => refuseKeysOfOneMachine([{ identity: 'somebody@there' }], [kms], 'here')).not.toThrow();
    expect(() => refuseKeysOfOneMachine(at('here', 'there'), ['vault', kms], 'here')).toThrow(
      'cannot start the worker: here: a worker of another machine (there) serves the same store',
    );
  },
);

test('keys that a key service wraps, or the environment gives, are for all machines', () => {
  expect(() => refuseKeysOfOneMachine(at('there'), ['vault', 'age'], 'here')).not.toThrow();
  expect(() => refuseKeysOfOneMachine(at('there'), [], 'here')).not.toThrow();
});

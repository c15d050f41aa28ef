import { writeFileSync } from 'node:fs';
import { afterAll, describe } from 'vitest';
import type { ContractSubject } from '../contracts/provider-contract.js';
import { providerContract } from '../contracts/provider-contract.js';
import { accountOf, LABELS, pricesOf } from './account.js';
import { metered } from './meter.js';
import { type Recorded, recorded, sanitised } from './recording.js';

const { ACCEPTANCE_PROVIDER = '', ACCEPTANCE_CEILING = '0', ACCEPTANCE_RECORDING, ACCEPTANCE_REPORT = '' } = process.env;

/** The contract on an account. Emulators are inspected directly; here the provider is queried instead. */
const account = await accountOf(ACCEPTANCE_PROVIDER, process.env);
const { provider, secrets } = account;
const { sold, hourly: dearest } = await pricesOf(account);
const calls: Recorded[] = [];
const limited = metered(account.connection, { provider: provider.name, sold, dearest, ceiling: Number(ACCEPTANCE_CEILING) });
const connection = recorded(limited, (one) => void calls.push(one));

const subject: ContractSubject = {
  provider,
  labels: LABELS,
  connect: async () => connection,
  countCreated: async (scope, name) =>
    (await connection.owned(LABELS)).filter((one) => one.kind === 'server' && one.scope.uuid === scope.uuid && one.name === name)
      .length,
  async stop(scope, name) {
    await connection.power?.(name, 'stop', { scope });
  },
};

afterAll(() => {
  if (ACCEPTANCE_RECORDING) writeFileSync(ACCEPTANCE_RECORDING, sanitised(calls, secrets), { mode: 0o600 });
  const { meter } = limited;
  writeFileSync(ACCEPTANCE_REPORT, JSON.stringify({ servers: meter.made(), spent: meter.spent() }));
});

describe(`${provider.name} keeps the contract of a provider`, () => providerContract(subject));

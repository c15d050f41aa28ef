import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { unpackIfPacked } from '../../core/encoding/pack.js';
import type { SealedMessage } from '../../core/encoding/sealed-message.js';
import { addressOf, DefinitionLog } from '../../core/infra/definition-log.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import type { ReceivedDefinition } from '../../core/infra/lock.js';
import { historyOf, readRecording, recordingCodec } from '../../test/support/histories.js';
import { Admission } from './admission.js';
import type { InfraInput } from './infra.js';
import { type FormerInfraState, type InfraState, STATE_VERSION, upgradeInfraState } from './infra-state.js';

/** State that a recorded run of the entity got from the former one. */
async function handedOn(recording: string): Promise<InfraState | FormerInfraState> {
  const [begun] = historyOf(await readRecording(recording)).events ?? [];
  const payloads = begun?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [payload] = await (await recordingCodec('show')).decode(payloads);
  const [{ state }] = defaultPayloadConverter.fromPayload<SealedMessage>(payload as never).args as [InfraInput];
  if (!state) throw new Error(`${recording} was handed nothing`);
  return unpackIfPacked(state);
}

const inventory = emptyInventory({ workspace: 'w', infra: 'i', uuid: 'u' });

describe('the state of an entity', () => {
  test('of the former release goes on as it was', async () => {
    const former = await handedOn('former/infra-continuation');
    expect(former.version).toBeUndefined();
    expect(former.holders).toHaveLength(1);
    const state = upgradeInfraState(former);
    const { definition } = former.inventory;
    const { operation, submitted } = former.received as ReceivedDefinition;
    const size = JSON.stringify(definition).length;
    const applied = { operation, actor: '', at: submitted, by: [operation], size };
    const hash = addressOf(definition as Definition);
    const definitions = { entries: [{ hash, ...applied }], contents: { [hash]: definition } };
    expect(state).toEqual({ ...former, definitions, brought: {}, version: STATE_VERSION });
    // Grants remain, and the next one gets another number.
    const admission = new Admission(() => state.inventory, state);
    const { version: _, inventory: __, sequence: ___, received: ____, definitions: _____, brought: ______, ...admitted } = state;
    expect(admission.state()).toEqual(admitted);
  });

  test('of builds before that, and of a home that was moved over, is completed', () => {
    const nothing = { definitions: { entries: [], contents: {} }, brought: {} };
    const begun = { holders: [], waiters: [], nextGrant: 1, nextArrival: 1, sequence: 0, ...nothing };
    expect(upgradeInfraState({ inventory })).toEqual({ version: STATE_VERSION, inventory, ...begun });
    expect(upgradeInfraState({ inventory, sequence: 7 })).toEqual({ version: STATE_VERSION, inventory, ...begun, sequence: 7 });
  });

  test('of version 2 says whose the last applied definition is, so that its roll-back restores the former one', () => {
    const definition = { infra: 'i', servers: [] } as unknown as Definition;
    const received = { operation: 'cluster-ensure-i-1', submitted: '2026-01-01T10:00:00.000Z' };
    const { definitions } = upgradeInfraState({ version: 2, inventory: { ...inventory, definition }, received });
    const log = new DefinitionLog(definitions);
    expect(log.staying(received.operation)).toBeUndefined();
    expect(log.staying('another')).toEqual({ operation: received.operation, at: received.submitted });
  });

  test('of this build is handed on with its version, and taken as it is', async () => {
    const state = await handedOn('present/infra-continuation');
    expect(state).toMatchObject({ version: STATE_VERSION });
    expect(upgradeInfraState(state)).toBe(state);
  });

  test('of a newer build is not guessed at', () => {
    const newer = { ...upgradeInfraState({ inventory }), version: STATE_VERSION + 1 };
    expect(() => upgradeInfraState(newer as never)).toThrow(`cannot continue with a state of version ${STATE_VERSION + 1}`);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import type { TestEnvironment, TestEnvironmentRequest } from '../../core/environment/test-environment.js';
import { inputError } from '../../core/errors.js';
import { testEnvironmentId } from '../../core/names.js';
import type { Controller } from '../../core/operation/control.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { Engine } from '../engine.js';
import { queryInfras } from '../infra/entity.js';
import { translateFault } from '../temporal/fault.js';
import { formatCondition, listWorkflows, OPEN } from '../temporal/visibility.js';
import { unknownEnvironment } from './unknown-environment.js';

/** The kind by which Temporal lists them. */
const KIND = 'test-environment';
/** Pause between two looks at an environment that is being removed, in milliseconds. */
const POLL_MS = 250;

/**
 * Starts the timer of a test environment. Nothing is created yet: the caller applies its definition afterwards.
 *
 * @throws inputError `environment-exists`
 */
export async function beginEnvironment(engine: Engine, request: TestEnvironmentRequest): Promise<TestEnvironment> {
  const { temporal, taskQueue } = engine;
  const { workspace, infra, actor, type, about } = request;
  const workflowId = testEnvironmentId(workspace, infra);
  try {
    await engine.elsewhere?.worker.require('make the test environment', infra);
    await temporal.workflow.start('testEnvironment', {
      workflowId,
      taskQueue,
      args: [request],
      typedSearchAttributes: attributesFrom({ kind: KIND, workspace, infra, actor }),
      staticSummary: `Test environment of the ${type === 'single' ? 'taskserv' : type === 'server' ? 'server' : 'topology'} ${about}`,
    });
    return await environmentAt(engine, workspace, infra);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw translateFault(error, workflowId);
    throw inputError({
      code: 'environment-exists',
      what: 'make the test environment',
      on: infra,
      why: 'a test environment with this name exists',
      hint: `provisioning test env cleanup ${infra}, or another --name`,
    });
  }
}

/** The test environments of their workspace, the newest first. */
export async function queryTestEnvironments(engine: Engine, workspace: string): Promise<TestEnvironment[]> {
  const query = `${formatCondition('kind', KIND)} AND ${formatCondition('workspace', workspace)} AND ${OPEN}`;
  const found: TestEnvironment[] = [];
  try {
    for await (const { workflowId } of listWorkflows(engine.temporal, query)) {
      const one = await environmentAt(engine, workspace, workflowId.split('/').at(-1) ?? '').catch(unlessGone);
      if (one) found.push(one);
    }
  } catch (error) {
    throw translateFault(error, 'the list of test environments');
  }
  return found.sort((a, b) => (a.created < b.created ? 1 : -1));
}

/** A test environment. @throws inputError `unknown-environment` */
export async function queryEnvironment(engine: Engine, workspace: string, infra: string): Promise<TestEnvironment> {
  const status = await engine.temporal.workflow
    .getHandle(testEnvironmentId(workspace, infra))
    .describe()
    .then(({ status }) => status.name, unlessUnknown);
  if (!status || !isOpen(status)) throw await unknown(engine, workspace, infra);
  try {
    return await environmentAt(engine, workspace, infra);
  } catch (error) {
    throw translateFault(error, infra);
  }
}

const environmentAt = ({ temporal }: Engine, workspace: string, infra: string): Promise<TestEnvironment> =>
  temporal.workflow.getHandle(testEnvironmentId(workspace, infra)).query<TestEnvironment>('environment');

/** It ended between the list and the question. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/**
 * Removes a test environment, and waits until nothing of it is left.
 *
 * @throws inputError `unknown-environment`, `environment-not-removed`: the removal is retried automatically
 */
export async function endEnvironment(engine: Engine, workspace: string, infra: string, by: Controller): Promise<void> {
  const handle = engine.temporal.workflow.getHandle(testEnvironmentId(workspace, infra));
  const status = await handle.describe().then(({ status }) => status.name, unlessUnknown);
  if (!status || !isOpen(status)) throw await unknown(engine, workspace, infra);
  try {
    const before = (await environmentAt(engine, workspace, infra)).failure;
    await handle.signal('endEnvironment', by);
    for (let polls = 0; isOpen((await handle.describe()).status.name); polls++) {
      const { failure } = await environmentAt(engine, workspace, infra);
      // A removal that failed before may be retried just now.
      if (failure !== undefined && (failure !== before || polls > 40)) throw notRemoved(infra, failure);
      await sleep(POLL_MS);
    }
    await handle.result();
  } catch (error) {
    throw translateFault(error, handle.workflowId);
  }
}

/**
 * Has a test environment outlive the process that made it.
 *
 * @throws inputError `unknown-environment`
 */
export async function keepEnvironment(engine: Engine, workspace: string, infra: string, by: Controller): Promise<void> {
  try {
    await engine.temporal.workflow.getHandle(testEnvironmentId(workspace, infra)).signal('keepEnvironment', by);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw await unknown(engine, workspace, infra);
    throw translateFault(error, infra);
  }
}

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw translateFault(error, 'the test environment');
}

async function unknown(engine: Engine, workspace: string, infra: string) {
  const known = await queryTestEnvironments(engine, workspace);
  return unknownEnvironment(
    infra,
    known.map((one) => one.infra),
  );
}

const notRemoved = (infra: string, why: string) =>
  inputError({
    code: 'environment-not-removed',
    what: 'remove the test environment',
    on: infra,
    why,
    hint: 'it is retried every two minutes; provisioning test env cleanup retries it now',
  });

/**
 * Removes infras of test environments whose timer is lost: the workflow with the timer was terminated at Temporal.
 *
 * @returns their names
 */
export async function sweepEnvironments(engine: Engine, workspace: string, actor: string): Promise<string[]> {
  const kept = new Set((await queryTestEnvironments(engine, workspace)).map(({ infra }) => infra));
  const left = (await queryInfras(engine, workspace)).filter((infra) => !kept.has(infra));
  for (const infra of left) {
    const ending = 'its timer was lost';
    await beginEnvironment(engine, { workspace, infra, actor, type: 'cluster', about: infra, ttlMs: 0, ending });
  }
  return left;
}

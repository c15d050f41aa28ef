import { addAbortListener } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { keepBundle } from '../../../authoring/bundle/keep-bundle.js';
import { keepGiven, readGiven } from '../../../authoring/given/with-given.js';
import { buildRequest } from '../../../authoring/request/requests.js';
import { ownOwner, sweepLeft } from '../../../authoring/test-environments/sweep-left.js';
import { testContext } from '../../../authoring/test-environments/test-context.js';
import type { TestDefinition } from '../../../authoring/test-environments/test-definition.js';
import type { TestResult } from '../../../core/environment/test-result.js';
import { messageOf } from '../../../core/errors.js';
import { EXIT, exitCodeOf } from '../../../core/exit-codes.js';
import type { OperationRequest, OperationResult } from '../../../core/operation/operation.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { previewDocument, writeDocument } from '../../render/document.js';
import { renderPreview } from '../../render/preview.js';
import { renderJunit } from '../../render/test-environments/junit.js';
import { environmentText, renderReport } from '../../render/test-environments/report.js';
import { isBad, type TestReport } from '../../render/test-environments/test-result.js';
import { viewFor } from '../../render/view.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';
import { watch } from '../follow.js';
import { operationSettings } from '../settings/operation-settings.js';
import { runTests } from './run-tests.js';

/** Options of a test environment's creation and tests. */
export interface How {
  ttlMs: number;
  /** Whether to run tests after its creation. */
  tests: boolean;
  /** Whether to remove it after the tests. */
  removes: boolean;
  /** Keeps the environment if something failed. */
  keep?: boolean;
  /** Whether to only show a preview. */
  check?: boolean;
  junit?: string;
  timeoutS: number;
}

/**
 * Creates a test environment, tests it and removes it, as requested. If this process is killed, the next command or
 * the workflow for the time to live removes the environment.
 *
 * @returns the exit code
 */
export async function makeEnvironment(session: Session, test: TestDefinition, how: How): Promise<number> {
  const inTests = testContext(session);
  const given = await readGiven(inTests, test);
  for (const note of test.notes) session.note(note);
  await session.engine();
  if (how.check) return preview(inTests, test);
  if (!session.json) session.out.write(environmentText(test.definition, spanText(how.ttlMs), paintFor(session.out)));
  const swept = await sweepLeft(session);
  if (swept.length > 0) session.note(`removed the leftovers of former test environments: ${swept.join(', ')}`);
  const definition = await keepGiven(inTests, test, given);
  const client = await session.client();
  const { type, about, scripts } = test;
  const { infra } = definition;
  const { expires } = await client.testEnvironments.create({
    ...{ workspace: session.workspace, infra, type, about, ttlMs: how.ttlMs, owner: ownOwner() },
    ...(scripts.length > 0 && { scripts }),
  });
  const began = performance.now();
  const report: TestReport = {
    ...{ environment: infra, type, about, status: 'made', removed: false, expires, tests: [], seconds: 0 },
    servers: definition.servers.map(({ name }) => name),
    ...(test.notes.length > 0 && { notes: test.notes }),
  };
  let result: OperationResult | undefined;
  try {
    result = await runUntilSignal((signal) => run(session, { ...test, definition }, how, report, signal));
    report.seconds = (performance.now() - began) / 1_000;
    await settle(session, report, how);
  } catch (error) {
    // The error is reported, and the environment is removed.
    await client.testEnvironments.remove({ workspace: session.workspace, infra, why: 'its command failed' }).catch(() => {});
    throw error;
  }
  return showReport(session, report, how, result);
}

/** Applies the definition and runs the tests. */
async function run(
  session: Session,
  { definition, scripts }: TestDefinition,
  how: How,
  report: TestReport,
  signal: AbortSignal,
): Promise<OperationResult | undefined> {
  const client = await session.client();
  const began = performance.now();
  const bundle = await keepBundle(client, definition, session.note);
  const request: OperationRequest = {
    ...(await applyOf(testContext(session), definition)),
    ...(bundle !== undefined && { bundle }),
  };
  const { operation } = await client.operations.submit({ request });
  report.operation = operation;
  session.begun({ operation });
  const outcome = await watch(endedBy(session, signal), operation, viewFor(session));
  if (outcome.kind !== 'ended') {
    report.status = 'interrupted';
    return undefined;
  }
  const { result } = outcome;
  report.tests.push(...installsOf(result, definition, (performance.now() - began) / 1_000));
  if (result.status === 'done' && how.tests)
    report.tests.push(...(await runTests(session, definition.infra, { scripts, timeoutS: how.timeoutS, signal })));
  const failed = result.status !== 'done' || report.tests.some(isBad);
  report.status = signal.aborted ? 'interrupted' : failed ? 'failed' : how.tests ? 'passed' : 'made';
  return result;
}

/** Returns a session whose Ctrl-C is this signal. */
const endedBy = (session: Session, signal: AbortSignal): Session =>
  Object.create(session, { onInterrupt: { value: (stop: () => void) => onAbort(signal, stop) } });

function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const listening = addAbortListener(signal, stop);
  return () => listening[Symbol.dispose]();
}

/**
 * The operation must never wait for a person. Remains of a failure are kept for inspection or removed with the
 * environment.
 */
async function applyOf(session: Session, definition: TestDefinition['definition']): Promise<OperationRequest> {
  const { timing, settings } = await operationSettings(session, {}, definition.infra);
  const wish = { kind: 'cluster', infra: definition.infra, intent: { verb: 'ensure', prune: true }, definition } as const;
  return buildRequest(session, wish, { timing, settings, onFailure: 'keep', onTimeout: 'keep' });
}

/** Returns for each service whether it was installed, with the reason of a failure. */
function installsOf(result: OperationResult, { servers }: TestDefinition['definition'], seconds: number): TestResult[] {
  const { error, status } = result;
  if (status === 'done')
    return servers.flatMap(({ name: server, taskservs }) =>
      taskservs.map(
        ({ name }): TestResult => ({ kind: 'install', name: `${name} is installed`, server, status: 'passed', seconds }),
      ),
    );
  const [first] = servers;
  const server = servers.find(({ name }) => error?.on === name || error?.on.startsWith(`${name}/`))?.name ?? first?.name ?? '';
  const why = error ? `${error.step} failed on ${error.on}: ${error.why}` : `the operation ended as ${status}`;
  return [{ kind: 'install', name: 'it is installed', server, status: 'failed', seconds, why }];
}

/** Removes the environment, or lets it outlive this command. */
async function settle(session: Session, report: TestReport, { removes, keep }: How): Promise<void> {
  const { testEnvironments } = await session.client();
  const place = { workspace: session.workspace, infra: report.environment };
  const stays = report.status === 'interrupted' ? false : removes ? keep === true && report.status === 'failed' : true;
  if (stays) return testEnvironments.keep(place);
  if (!session.json) session.out.write(`removing ${report.environment} …\n`);
  try {
    await testEnvironments.remove({ ...place, why: report.status === 'interrupted' ? 'interrupted' : 'its tests have run' });
    report.removed = true;
  } catch (error) {
    session.err.write(`${messageOf(error)}\n`);
    report.status = 'failed';
  }
}

/**
 * Shows the results, and writes them to a report file if requested.
 *
 * @returns the exit code
 */
export async function showReport(
  session: Session,
  report: TestReport,
  { junit }: Pick<How, 'junit'>,
  result?: OperationResult,
): Promise<number> {
  if (junit !== undefined) {
    report.junit = junit;
    await writeFile(junit, renderJunit(report));
  }
  if (session.json) writeDocument(session, report);
  else renderReport(report, session.out);
  if (report.status === 'interrupted') return EXIT.interrupted;
  if (report.status !== 'failed') return EXIT.done;
  return result && result.status !== 'done' ? exitCodeOf(result) : EXIT.failed;
}

/** Shows a preview without making changes. */
async function preview(session: Session, { definition }: TestDefinition): Promise<number> {
  const client = await session.client();
  const bundle = await keepBundle(client, definition, session.note);
  const request = { ...(await applyOf(session, definition)), ...(bundle !== undefined && { bundle }) };
  const { operation } = await client.plans.preview({ request });
  const outcome = await watch(session, operation, { update: () => {}, end: () => {} });
  if (outcome.kind !== 'ended') return EXIT.interrupted;
  if (session.json) writeDocument(session, previewDocument(outcome.result));
  else renderPreview(outcome.result, session.out);
  return exitCodeOf(outcome.result);
}

const spanText = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
};

import { addAbortListener } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { keepBundle } from '../../../authoring/bundle/keep-bundle.js';
import { keepGiven, readGiven } from '../../../authoring/given/with-given.js';
import { requestOf } from '../../../authoring/request/requests.js';
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

/** How a test environment is made and tried. */
export interface How {
  ttlMs: number;
  /** Try it once it is made. */
  tests: boolean;
  /** Remove it once it was tried. */
  removes: boolean;
  /** Where something failed, do not. */
  keep?: boolean;
  /** Only show what would be done. */
  check?: boolean;
  junit?: string;
  timeoutS: number;
}

/**
 * Makes a test environment, tries it and removes it, as far as it is asked for. Who kills this process leaves the
 * environment to the next command, and to the workflow that keeps its time.
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
    // What went wrong is told; what was made goes all the same.
    await client.testEnvironments.remove({ workspace: session.workspace, infra, why: 'its command failed' }).catch(() => {});
    throw error;
  }
  return showReport(session, report, how, result);
}

/** Applies the definition, and tries what came of it. */
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

/** The same, whose Ctrl-C is this signal. */
const endedBy = (session: Session, signal: AbortSignal): Session =>
  Object.create(session, { onInterrupt: { value: (stop: () => void) => onAbort(signal, stop) } });

function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const listening = addAbortListener(signal, stop);
  return () => listening[Symbol.dispose]();
}

/** It is never to wait for a person, and what a failure leaves is to be looked at, or goes with all the rest. */
async function applyOf(session: Session, definition: TestDefinition['definition']): Promise<OperationRequest> {
  const { timing, settings } = await operationSettings(session, {}, definition.infra);
  const wish = { kind: 'cluster', infra: definition.infra, intent: { verb: 'ensure', prune: true }, definition } as const;
  return requestOf(session, wish, { timing, settings, onFailure: 'keep', onTimeout: 'keep' });
}

/** Whether each service was installed, and where that failed, why. */
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

/** Removes it, or has it outlive this command. */
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

/** Shows how it went, and writes it for machines where that is asked for. @returns the exit code */
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

/** Says what would be done, and does nothing. */
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

import type { Definition, ServerSpec, TaskservSpec } from '../core/definition/definition.js';
import type { AnyProvider } from '../core/machine/provider.js';
import type { LoadableTaskservs, ProviderRegistry } from '../core/registry.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';
import { checkCertificates, checkEndpoints, checkExclusive, checkFollowed } from './check-services.js';
import { type DefinitionSettings, NO_SETTINGS } from './defaults/definition-settings.js';
import { serviceDefaultsFor } from './defaults/service-defaults.js';
import { dropUnknownPublic, expandDomains } from './domains/from-domains.js';
import { checkZones } from './domains/zone-setters.js';
import { expandServers } from './expand-servers.js';
import type { ExpandedServer } from './expanded-server.js';
import type { InterpolatedSource } from './interpolation/interpolate.js';
import type { LockSession } from './lock-file/locked-version.js';
import { placeOutputs } from './place-outputs.js';
import { type Assignment, assignments } from './place-taskservs.js';
import { protectServers } from './public-endpoints.js';
import type { ExternalValue, ReferenceKinds } from './reference-kinds.js';
import { resolveServices } from './services/services.js';
import { checkTogether, type PlacedService, sortServices } from './services/settle-services.js';
import type { Findings } from './source/findings.js';
import { configuresTooMuch } from './source/oversize.js';
import type { Path } from './source/problem.js';
import { type SalvagedDefinition, salvage } from './source/salvage.js';

/** Inputs of a definition beside its source. */
export interface AssembleOptions {
  workspace: string;
  registries: { taskservs: LoadableTaskservs; providers: ProviderRegistry };
  /** The secrets that are set. */
  secretNames: { has(name: string, infra: string): boolean };
  /** Kinds of references whose values lie beside the definition. */
  referenceKinds?: ReferenceKinds;
  /** The lock file, as `loadDefinition` read it. */
  locking?: LockSession;
}

/** Modules that judge a definition, by name. */
export interface Modules {
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  providers: Readonly<Record<string, AnyProvider>>;
}

/** Results of expressions that are not in the source, and the settings beneath the definition. */
export type ExpressionResults = Omit<InterpolatedSource, 'source'> & {
  settings?: DefinitionSettings;
  /** References to values outside the definition. */
  given?: ExternalValue[];
};

/** With what a definition is put together, and where it is noted what stands where in its source. */
export type AssemblyParts = Modules &
  ExpressionResults & { places: Map<string, Path>; versionsAt: Map<string, Path>; given: ExternalValue[] };

/**
 * Assembles a definition from its source, and adds its faults to the findings.
 *
 * @returns undefined if it exceeds a limit; the findings then say so
 */
export function assemble(
  value: Record<string, unknown>,
  options: AssembleOptions,
  making: AssemblyParts,
  findings: Findings,
): Definition | undefined {
  const placed = place(begun(value, options, making), findings);
  if (configuresTooMuch(placed.entries, placed.servers, findings)) return undefined;
  const named = domains(placed, findings);
  const furnished = services(named, findings);
  endpoints(furnished, findings);
  const ordered = order(furnished, findings);
  return outputs(ordered, findings);
}

type BegunDraft = ReturnType<typeof begun>;
type PlacedDraft = ReturnType<typeof place>;
type NamedDraft = ReturnType<typeof domains>;
type FurnishedDraft = ReturnType<typeof services>;
type OrderedDraft = ReturnType<typeof order>;

function begun(value: Record<string, unknown>, options: AssembleOptions, making: AssemblyParts) {
  const { workspace, registries, secretNames, referenceKinds } = options;
  const { taskservs, given, settings = NO_SETTINGS } = making;
  // With the instances that the file names.
  const known = [...new Set([...Object.keys(registries.taskservs), ...Object.keys(taskservs)])];
  const around = { workspace, taskservs, known, providers: registries.providers, secretNames, referenceKinds, given };
  return { value, options, making, settings, around, file: salvage(value), providers: Object.keys(registries.providers) };
}

/** Which services are on which servers. */
function place(draft: BegunDraft, findings: Findings) {
  const { file, making, around, providers: known } = draft;
  const servers = expandServers(file, { providers: making.providers, known }, findings);
  return { ...draft, servers, entries: assignments(file, servers, around, findings) };
}

/** Adds what follows from domains: records, certificates and public services. */
function domains(draft: PlacedDraft, findings: Findings) {
  const { file, making, around, settings, servers, entries, providers: known } = draft;
  const owner = { workspace: around.workspace, infra: file.settings.infra, scope: '' };
  const defaultsOf = serviceDefaultsFor(settings, { ...around, ...owner }, findings);
  checkZones(file.zones, { providers: making.providers, known }, findings);
  const all: Assignment[] = expandDomains(entries, { ...around, ...owner, servers, zones: file.zones, defaultsOf }, findings);
  return { ...draft, defaultsOf, all, judged: dropUnknownPublic(all, findings) };
}

/** Resolves the services of each server: their configuration, their version, and the services that they need. */
function services(draft: NamedDraft, findings: Findings) {
  const { file, making, around, options, servers, judged, defaultsOf } = draft;
  const { taskservs, perServer } = making;
  const locking = options.locking && { ...options.locking, infra: file.settings.infra };
  const settled = resolveServices(servers, judged, { taskservs, known: around.known, perServer, defaultsOf, locking }, findings);
  return { ...draft, settled, placed: settled.flatMap((one) => one.placed) };
}

/** Whether what services reach, and come after, is there. */
function endpoints({ all, placed, around: { known } }: FurnishedDraft, findings: Findings): void {
  checkEndpoints(all, placed, known, findings);
  checkFollowed(placed, known, findings);
}

/** The servers with their services in the order in which they are installed. */
function order(draft: FurnishedDraft, findings: Findings) {
  const { file, making, settled, placed } = draft;
  const { places, versionsAt } = making;
  const order = sortServices(placed, findings);
  const withFetching = createFetching(file);
  const specs = settled.map(({ server, placed }): ServerSpec => {
    checkTogether(server, placed, findings);
    checkExclusive(server.spec.name, placed, findings);
    checkCertificates(server, placed, findings);
    places.set(server.spec.name, server.path);
    for (const { spec, path, versionAt } of placed) {
      places.set(`${server.spec.name}/${spec.name}`, path);
      if (versionAt) versionsAt.set(`${server.spec.name}/${spec.name}`, versionAt);
    }
    const byOrder = placed.map((one) => withFetching(one, server)).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return { ...server.spec, taskservs: byOrder };
  });
  protectServers(specs, making.providers);
  return { ...draft, specs };
}

/** The definition, with what it hands out to others. */
function outputs({ value, file, making, around, specs }: OrderedDraft, findings: Findings): Definition {
  const { outputs: parts = new Map(), resolved = {} } = making;
  const { infra, onFailure, onTimeout, protect, approve } = file.settings;
  const gates = approve === undefined ? {} : { approve: [approve].flat() };
  const given = placeOutputs(value.outputs, specs, { ...around, infra, parts }, findings);
  const more = { ...(given && { outputs: given }), ...(Object.keys(resolved).length > 0 && { resolved }) };
  const { workspace } = around;
  return { workspace, infra, onFailure, ...(onTimeout && { onTimeout }), protect, ...gates, ...more, servers: specs };
}

/** Returns the software sources that a definition declares: mirrors, and whether the worker fetches artifacts. */
export function createFetching({ settings, servers }: SalvagedDefinition) {
  const { mirrors } = settings;
  return ({ taskserv, spec }: PlacedService, server: ExpandedServer): TaskservSpec => {
    const artifacts = servers.find(({ index }) => index === server.index)?.entry.artifacts ?? settings.artifacts;
    return {
      ...spec,
      ...(mirrors && taskserv.fetches && { mirrors }),
      // For all services: only the plan knows which of them have artifacts.
      ...(artifacts === 'from-worker' && { artifacts }),
    };
  };
}

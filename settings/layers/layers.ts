import { readdirSync, statSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE, WORKSPACE_FILES } from '../../core/names.js';
import type { Home } from '../../home/home.js';

/** Sources of values, the lowest first. Each has precedence over those before it. */
export const LAYERS = ['defaults', 'user', 'workspace', 'infra', 'environment', 'variables', 'flags'] as const;
export type LayerName = (typeof LAYERS)[number];

/** Layers that are files. */
export const FILE_LAYERS = ['user', 'workspace', 'infra', 'environment'] as const satisfies readonly LayerName[];
export type FileLayer = (typeof FILE_LAYERS)[number];

/** File extensions, in the order of preference. */
export const ENDINGS = ['.yaml', '.toml', '.json'] as const;

/** Definitions read values from the same file, so it has a format that they support (definition/source/formats.ts). */
const ENVIRONMENT_ENDINGS = ['.yaml', '.yml', '.json'] as const;

/** Context for which a configuration is resolved. */
export interface ConfigPlace {
  home: Home;
  env: NodeJS.ProcessEnv;
  /** Folder of the workspace, if it is registered with one. */
  workspaceFolder?: string;
  infra?: string;
  environment?: string;
}

/** Candidate files of a layer. */
export interface LayerFiles {
  layer: FileLayer;
  candidates: readonly string[];
  /** Key that contains the settings in the file; absent if the file has only settings. */
  within?: string;
  /** Folder that must contain the files, after their links; absent for the user's own files. */
  folder?: string;
  /** Former file of the layer's settings. */
  former?: string;
  /** Places of the keys that open it, if it is a SOPS file. */
  keys: { env: NodeJS.ProcessEnv; own: string };
}

/**
 * Returns the files of each layer that this place has.
 *
 * @throws inputError `config-environment`, `config-infra` for an invalid name
 */
export function filesOf({ home, env, workspaceFolder: folder, infra, environment }: ConfigPlace): LayerFiles[] {
  const keys = { env, own: home.ageKeys };
  const candidates = (base: string) => ENDINGS.map((ending) => `${base}${ending}`);
  const user: LayerFiles = {
    layer: 'user',
    candidates: candidates(join(home.root, 'config')),
    former: join(home.root, 'settings.yaml'),
    keys,
  };
  if (infra !== undefined) checkName('infra', infra);
  if (environment !== undefined) checkName('environment', environment);
  if (folder === undefined) return [user];
  return [
    user,
    { layer: 'workspace', candidates: WORKSPACE_FILES.map((name) => join(folder, name)), within: 'config', folder, keys },
    ...(infra === undefined
      ? []
      : [{ layer: 'infra' as const, candidates: candidates(join(folder, 'infra', `${infra}.config`)), folder, keys }]),
    ...(environment === undefined
      ? []
      : [
          {
            layer: 'environment' as const,
            candidates: ENVIRONMENT_ENDINGS.map((ending) => join(folder, 'environments', `${environment}${ending}`)),
            within: 'config',
            folder,
            keys,
          },
        ]),
  ];
}

/**
 * Returns the environments of a workspace folder: those with settings or values, and those with overlays of
 * definitions.
 */
export function listEnvironments(folder: string): string[] {
  const named = namesIn(join(folder, 'environments'));
  // `shop.prod.yaml` is the overlay of `shop.yaml` for prod.
  const overlays = namesIn(join(folder, 'infra')).flatMap((name) => /^[^.]+\.([^.]+)$/.exec(name)?.[1] ?? []);
  return [...new Set([...named, ...overlays.filter((name) => name !== 'config')])].sort();
}

/** Returns the file names in a folder, without extensions. */
function namesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder);
    return names
      .filter((name) => (ENVIRONMENT_ENDINGS as readonly string[]).includes(extname(name)))
      .map((name) => parse(name).name);
  } catch {
    return [];
  }
}

/** Validates a name that becomes a part of a path. */
function checkName(what: 'infra' | 'environment', name: string): void {
  if (NAME.test(name)) return;
  throw inputError({ code: `config-${what}`, what: `read the settings of the ${what}`, on: name, why: `use ${NAME_RULE}` });
}

/** Returns a mark that changes with a file, and the time of its last change; undefined if it does not exist. */
export function readMark(path: string): { mark: string; changedMs: number } | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { mark: `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`, changedMs: found.ctimeMs };
  } catch {
    // An inaccessible file is read each time, which reports the reason.
    return { mark: '?', changedMs: Number.POSITIVE_INFINITY };
  }
}

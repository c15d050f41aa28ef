import { readdirSync, statSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE, WORKSPACE_FILES } from '../../core/names.js';
import type { Home } from '../../home/home.js';

/** Where values come from, the lowest first. Each goes over those before it. */
export const LAYERS = ['defaults', 'user', 'workspace', 'infra', 'environment', 'variables', 'flags'] as const;
export type LayerName = (typeof LAYERS)[number];

/** Layers that are files. */
export const FILE_LAYERS = ['user', 'workspace', 'infra', 'environment'] as const satisfies readonly LayerName[];
export type FileLayer = (typeof FILE_LAYERS)[number];

/** Kinds of files, in the order in which they are proposed. */
export const ENDINGS = ['.yaml', '.toml', '.json'] as const;

/** Definitions take values out of the same file: it has a kind that they read (definition/source/formats.ts). */
const ENVIRONMENT_ENDINGS = ['.yaml', '.yml', '.json'] as const;

/** What a configuration is resolved for. */
export interface ConfigPlace {
  home: Home;
  env: NodeJS.ProcessEnv;
  /** The folder of the workspace, where it is registered with one. */
  workspaceFolder?: string;
  infra?: string;
  environment?: string;
}

/** A layer of files: one of its candidates may be there. */
export interface LayerFiles {
  layer: FileLayer;
  candidates: readonly string[];
  /** The key under which the file has the settings; absent where it has nothing else. */
  within?: string;
  /** The folder that its files have to lie in, after their links; absent for the user's own files. */
  folder?: string;
  /** The file that had the layer's settings before. */
  former?: string;
  /** Where keys are that open it, if it is a file of SOPS. */
  keys: { env: NodeJS.ProcessEnv; own: string };
}

/**
 * The files of each layer that this place has.
 *
 * @throws inputError `config-environment`, `config-infra` for a name that is none
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

/** The environments of a workspace folder: those with settings or values, and those that are laid over definitions. */
export function listEnvironments(folder: string): string[] {
  const named = namesIn(join(folder, 'environments'));
  // `shop.prod.yaml` is laid over `shop.yaml`.
  const overlays = namesIn(join(folder, 'infra')).flatMap((name) => /^[^.]+\.([^.]+)$/.exec(name)?.[1] ?? []);
  return [...new Set([...named, ...overlays.filter((name) => name !== 'config')])].sort();
}

/** The names of the files of a folder, without their endings. */
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

/** It becomes a part of a path. */
function checkName(what: 'infra' | 'environment', name: string): void {
  if (NAME.test(name)) return;
  throw inputError({ code: `config-${what}`, what: `read the settings of the ${what}`, on: name, why: `use ${NAME_RULE}` });
}

/** By which a file is known to be as it was, and when it was changed; undefined where there is none. */
export function readMark(path: string): { mark: string; changedMs: number } | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { mark: `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`, changedMs: found.ctimeMs };
  } catch {
    // What cannot be looked at is read each time, which says why.
    return { mark: '?', changedMs: Number.POSITIVE_INFINITY };
  }
}

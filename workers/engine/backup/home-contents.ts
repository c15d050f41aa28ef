import { SETTINGS_FILES } from '../../../settings/settings.js';

/** A kind of file in a home, and its part in a backup. */
export interface HomeContent {
  /** Matches the path below the home. */
  path: RegExp;
  title: string;
  /**
   * `file`: copied and sealed; `record`: read from the store; `database`: copied in its state of one moment. Absent:
   * not in it.
   */
  in?: 'file' | 'record' | 'database';
  /** Why it is not in it. */
  why?: string;
}

const MADE_AGAIN = '`up` makes new ones';
const OF_THE_MOMENT = 'only while it runs';

/**
 * All kinds of files in a home. A test finds files without an entry here: the author of a new kind decides whether a
 * backup has it. The guide has the same titles.
 */
export const HOME_CONTENTS: readonly HomeContent[] = [
  {
    path: new RegExp(`^(${SETTINGS_FILES.map((name) => name.replace('.', '\\.')).join('|')})$`),
    title: 'settings of the home',
    in: 'file',
  },
  { path: /^service\.env$/, title: 'environment of the service', in: 'file' },
  { path: /^age\/keys\.txt$/, title: 'age keys of the home', in: 'file' },
  { path: /^demo\/[a-z0-9][a-z0-9-]*\.json$/, title: 'accounts of the demo provider', in: 'file' },
  { path: /^engine\/(temporal\.version|sealed)$/, title: "marks of the engine's database", in: 'file' },
  { path: /^engine\/temporal\.db(-wal|-shm)?$/, title: "Temporal's database", in: 'database' },
  { path: /^(engine\/)?identity\.json$/, title: 'identity of the set-up', in: 'record' },
  { path: /^keys\//, title: 'SSH keys, host keys and pins', in: 'record' },
  { path: /^secrets\//, title: 'secrets and credentials of providers', in: 'record' },
  { path: /^operations\//, title: 'what hosts printed', in: 'record' },
  { path: /^batches\//, title: 'pages of batches', in: 'record' },
  { path: /^payloads\//, title: 'large payloads', in: 'record' },
  { path: /^sequences\//, title: 'states of infras', in: 'record' },
  { path: /^feeds\//, title: 'feeds of infras', in: 'record' },
  { path: /^rollbacks\//, title: 'roll-back data', in: 'record' },
  { path: /^rows\//, title: 'collections of rows: recorded calls', in: 'record' },
  { path: /^audit\//, title: 'ends of audit chains', why: 'a copy from another moment would contradict the records' },
  { path: /^encryption\//, title: 'encryption keys', why: 'the recovery copy has them: `key export`' },
  { path: /^workspaces\//, title: 'registrations of workspaces', why: 'they name folders of this machine: `workspace register`' },
  { path: /^engine\/claims\//, title: 'used messages', why: 'they end after ten minutes' },
  {
    path: /^engine\/(certificates\/|.*\.(json|sock|lock)$|.*\.lock|at-work|former-)/,
    title: "the engine's processes, ports and certificates",
    why: MADE_AGAIN,
  },
  { path: /^(restore\.lock|restoring)/, title: 'marks of a restore', why: OF_THE_MOMENT },
  { path: /^logs\//, title: 'logs of engine and worker', why: 'nothing depends on them' },
  { path: /^artifacts\//, title: 'fetched artifacts', why: 'they are fetched again' },
  { path: /^answers\//, title: "kept answers of vendors' catalogs", why: 'they are asked for again' },
  { path: /^backups\//, title: 'backups', why: 'each file is complete' },
];

/** Returns the kind of a file, by its path below the home; undefined if the path is not classified. */
export const homeContentOf = (path: string): HomeContent | undefined => HOME_CONTENTS.find((kind) => kind.path.test(path));

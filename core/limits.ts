const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Maximum sizes of input from people and programs. With the limits of files, reading stays below 2 s and 512 MiB. With
 * those of definitions, an operation can be queried, canceled and forced. Measured on the engine: requests up to 4 MiB
 * work, the progress of 6 MiB cannot be queried any more, and 9 MiB do not work at all. docs/reference/limits.md lists
 * the limits, and a test compares both.
 */
export const LIMITS = {
  /** Bytes of a definition or batch file, with all that it includes. */
  file: 1 * MiB,
  /** Files that a definition is put together from. */
  includes: 64,
  /** Names, values and signs of a file. */
  fileParts: 250_000,
  /** Lists and maps inside each other. */
  fileDepth: 64,
  /** Keys and punctuation marks of a TOML file, whose parser is slower than that of YAML. */
  tomlSigns: 100_000,
  /** Bytes of a file as JSON, its aliases resolved. */
  fileResolved: 4 * MiB,
  /** Processor time to evaluate a TypeScript definition, in seconds. */
  typescriptSeconds: 2,
  /** Processor time to evaluate a KCL or Nickel definition, in seconds. */
  toolSeconds: 5,
  /** Seconds that evaluating a definition may take in all. */
  evaluationSeconds: 20,
  /** Memory of the process that evaluates a definition, in bytes. */
  evaluationMemory: 256 * MiB,
  /** Size of a module's compiled code with the SDK, in bytes. */
  moduleCode: 1 * MiB,
  /** Memory of a module, in bytes. */
  moduleMemory: 64 * MiB,
  /** Seconds of processor time that a module may take to start, or for one answer. */
  moduleSeconds: 1,
  /** Size of a module's answer, in bytes. */
  moduleAnswer: 4 * MiB,
  /** Problems of a file that are listed. */
  problems: 50,
  /** Bytes of a home's settings. */
  settings: 64 * KiB,
  /** Servers of a definition, counts expanded. */
  servers: 5_000,
  /** Entries in a list of taskservs. */
  taskservs: 1_000,
  /** Definition files that a batch names. */
  batchFiles: 1_000,
  /** Operations of a batch, counts expanded: more and their books no longer fit. */
  operations: 20_000,
  /** Names in the lists of a batch's operations (`needs`, `servers` …), counts expanded. */
  batchNames: 1_000_000,
  /** Bytes of a definition as JSON: counts expanded, defaults filled in. */
  definition: 5 * MiB,
  /** The part of that which is in texts of more than `longText` bytes. They do not compress, and each step carries them. */
  longTexts: 1 * MiB,
  /** From when on a text is a long one, in bytes. */
  longText: 1 * KiB,
  /** Bytes of a request as JSON: a definition, and who asks for what. */
  request: 5 * MiB + 64 * KiB,
  /** Bytes of a batch as JSON, its definitions included. */
  batch: 32 * MiB,
  /** Bytes of an exported workspace, compressed and in base64. */
  workspace: 24 * MiB,
  /** The same before it is compressed. */
  workspaceContent: 256 * MiB,
  /** Bytes of an exported workspace that moves in parts, compressed. */
  workspaceTransfer: 1024 * MiB,
  /** The same before it is compressed. */
  workspaceTransferContent: 4096 * MiB,
  /** Bytes of each part but the last. In base64 it fits into a request. */
  workspacePart: 3 * MiB,
  /** Files of a folder that a configuration takes its contents from. */
  treeFiles: 500,
  /** Size of all files of a bundle, in bytes. */
  bundle: 64 * MiB,
  /** Compressed size of an application's source, in bytes. A bundle has it as base64. */
  source: 32 * MiB,
  /** Bytes of the same before it is compressed. */
  sourceFiles: 256 * MiB,
  /** Bytes of an artifact that the worker fetches for hosts. */
  artifact: 2048 * MiB,
  /**
   * Size of the artifacts that the worker keeps for other hosts, in bytes. The oldest unused ones are removed first.
   */
  artifacts: 4096 * MiB,
  /** Bytes of the files that an archive becomes on a host. */
  artifactFiles: 8192 * MiB,
  /** Files, folders and links of such an archive. */
  artifactEntries: 500_000,
  /** Files of a bundle. */
  bundleFiles: 10_000,
  /** Bytes of a saved plan. */
  plan: 64 * MiB,
  /** Size of a definition with the lines of a plan as JSON, in bytes. A larger request has only the plan's hash. */
  plannedLines: 4 * MiB,
  /** Characters of a command line argument. */
  argument: 4_096,
  /** Characters of `--set`. */
  changes: 64 * KiB,
} as const;

/** `1.5 MiB`, `64 KiB`, `700 B`: an amount for a person to read. */
export function sizeText(bytes: number): string {
  if (bytes < KiB) return `${bytes} B`;
  const [amount, unit] = bytes < MiB ? [bytes / KiB, 'KiB'] : [bytes / MiB, 'MiB'];
  return `${Number.isInteger(amount) ? amount : amount.toFixed(1)} ${unit}`;
}

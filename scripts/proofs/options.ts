import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Parses the options of a script. An unknown option prints the usage and exits with 2. */
export function optionsOf<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`cannot read the options: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

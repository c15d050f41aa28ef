import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Reads the options of a script. One that it does not know ends it with 2, and its usage says which there are. */
export function optionsOf<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`cannot read the options: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

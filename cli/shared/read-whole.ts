import { DefinitionError } from '../../app/definition/definition-error.js';
import { readNamed } from '../../definition/languages/read-named.js';
import { problemsOf } from '../../definition/source/read-source.js';
import type { Source } from '../../definition/source/source.js';

/** A definition file as it was written, without what it includes. @throws DefinitionError with what its format has against it */
export async function readWhole(file: string): Promise<Source> {
  const source = await readNamed(file, 'examples/quickstart.yaml is a definition to start from');
  if (Array.isArray(source)) throw new DefinitionError(file, source);
  if (source.faults.length > 0) throw new DefinitionError(file, problemsOf(source));
  return source;
}

import { CONTENT_OF, type FileContent, TREE_OF } from '../../core/schema/contents.js';
import { clipText } from '../../core/text.js';
import type { ComposedDefinition } from '../layers/compose.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { FileText } from '../source/source.js';
import { PathRefusal, readFileBeside, readFolderBeside } from './beside.js';

/** Inputs for reading contents, beside the definition. */
export interface ContentOptions {
  /** Folders of which nothing is read. */
  closed?: readonly string[];
  /** Whether the definition has expressions, so that templates can be filled in. */
  hasExpressions: boolean;
}

/** Place of a content. Its text stays unchanged unless it is a template. */
type Placed = { path: Path; isTemplate: boolean };

/**
 * Replaces `{ content-of: PATH }` and `{ tree-of: PATH }` in configurations with the contents of files and folders. A
 * text is raw. With `template: true`, its expressions are resolved like those of the definition.
 */
export async function insertContents(
  composed: ComposedDefinition,
  options: ContentOptions,
): Promise<ComposedDefinition | Problem[]> {
  const { source } = composed;
  if (!isRecord(source.value) || !mentionsContents(source.value)) return composed;
  const reading = new Reading(composed, options);
  const value: Record<string, unknown> = { ...source.value };
  for (const key of ['taskservs', 'servers']) if (key in value) value[key] = await reading.entries(value[key], [key]);
  if (isRecord(value.domains)) value.domains = await reading.zones(value.domains);
  if (reading.problems.length > 0) return reading.problems;
  const { placed } = reading;
  return {
    ...composed,
    source: {
      ...source,
      value,
      texts: [...(source.texts ?? []), ...reading.texts],
      isRaw: (path) => placed.find((one) => begins(path, one.path))?.isTemplate === false || source.isRaw?.(path) === true,
    },
  };
}

/** Quick, since most definitions have none. */
const mentionsContents = (value: unknown): boolean => {
  const text = JSON.stringify(value);
  return text.includes(`"${CONTENT_OF}"`) || text.includes(`"${TREE_OF}"`);
};

const begins = (path: Path, with_: Path): boolean => with_.every((key, index) => path[index] === key);

class Reading {
  readonly problems: Problem[] = [];
  readonly texts: FileText[] = [];
  readonly placed: Placed[] = [];

  constructor(
    private readonly composed: ComposedDefinition,
    private readonly options: ContentOptions,
  ) {}

  /** Configurations of taskserv entries, also of entries within servers. */
  async entries(list: unknown, path: Path): Promise<unknown> {
    if (!Array.isArray(list)) return list;
    const made: unknown[] = [];
    for (const [index, entry] of list.entries()) {
      const at = [...path, index];
      if (!isRecord(entry)) made.push(entry);
      else if (path[0] === 'servers' && path.length === 1) {
        made.push(
          'taskservs' in entry ? { ...entry, taskservs: await this.entries(entry.taskservs, [...at, 'taskservs']) } : entry,
        );
      } else made.push('config' in entry ? { ...entry, config: await this.#walk(entry.config, [...at, 'config']) } : entry);
    }
    return made;
  }

  /** Contents in the service parts of zones. */
  async zones(zones: Record<string, unknown>): Promise<unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, zone] of Object.entries(zones)) {
      if (!isRecord(zone)) made[name] = zone;
      else {
        const said: Record<string, unknown> = {};
        for (const [key, config] of Object.entries(zone)) said[key] = await this.#walk(config, ['domains', name, key]);
        made[name] = said;
      }
    }
    return made;
  }

  async #walk(value: unknown, path: Path): Promise<unknown> {
    if (Array.isArray(value)) {
      const made: unknown[] = [];
      for (const [index, one] of value.entries()) made.push(await this.#walk(one, [...path, index]));
      return made;
    }
    if (!isRecord(value)) return value;
    if (CONTENT_OF in value || TREE_OF in value) return this.#read(value, path);
    const made: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(value)) made[key] = await this.#walk(one, [...path, key]);
    return made;
  }

  async #read(value: Record<string, unknown>, path: Path): Promise<unknown> {
    const form = CONTENT_OF in value ? CONTENT_OF : TREE_OF;
    const { [form]: named, template = false, ...others } = value;
    const [other] = Object.keys(others);
    if (other !== undefined)
      return this.#say([...path, other], `{ ${form} } has no "${other}"`, `{ ${form}: PATH, template: true }`);
    if (typeof named !== 'string' || named === '') return this.#say([...path, form], 'expected a path', `{ ${form}: PATH }`);
    if (typeof template !== 'boolean') return this.#say([...path, 'template'], 'expected true or false');
    if (template && !this.options.hasExpressions)
      return this.#say([...path, 'template'], 'the definition does not use expressions', 'interpolate: true, or vars');
    try {
      this.placed.push({ path, isTemplate: template });
      return form === CONTENT_OF ? await this.#file(named, template) : await this.#folder(named, template);
    } catch (error) {
      if (!(error instanceof PathRefusal)) throw error;
      const what = form === CONTENT_OF ? 'file' : 'folder';
      return this.#say([...path, form], `cannot read the ${what} "${clipText(named, 200)}": ${error.message}`, error.suggestion);
    }
  }

  async #file(named: string, template: boolean): Promise<unknown> {
    const { file, content } = await readFileBeside(named, this.#beside);
    return this.#kept(file, content, template);
  }

  async #folder(named: string, template: boolean): Promise<unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, { file, content }] of await readFolderBeside(named, this.#beside)) {
      made[name] = this.#kept(file, content, template);
    }
    return made;
  }

  #kept(file: string, content: FileContent, template: boolean): unknown {
    if (content.text === undefined) {
      if (template) throw new PathRefusal('it is not UTF-8 text', 'remove template');
      return content;
    }
    this.texts.push({ file, text: content.text });
    return content.executable ? content : content.text;
  }

  get #beside() {
    return { root: this.composed.root, closed: this.options.closed ?? [] };
  }

  #say(path: Path, message: string, suggestion?: string): undefined {
    const { source } = this.composed;
    const { path: there = path, ...place } = source.place(path, 'value');
    this.problems.push({ file: source.file, ...place, path: pathText(there), message, ...(suggestion && { suggestion }) });
  }
}

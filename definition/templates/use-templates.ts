import { clipText } from '../../core/text.js';
import { partsOf } from '../interpolation/expression.js';
import { type InterpolatedSource, type WorkedFrom, workOut } from '../interpolation/interpolate.js';
import type { ServerInterpolation } from '../interpolation/per-server.js';
import { mergeLayered } from '../layers/layered-source.js';
import { didYouMean } from '../source/did-you-mean.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';
import { SIZE } from './read-sizes.js';
import { readTemplate, type Template } from './read-template.js';
import { templateFiles } from './template-files.js';

interface Around extends Omit<WorkedFrom, 'infra'> {
  isWorkspace: boolean;
}

/** Lays a definition over the templates that it uses, the first lowest. One that uses none stays as it is. */
export async function applyTemplates(read: InterpolatedSource, around: Around): Promise<InterpolatedSource | Problem[]> {
  const uses = usesIn(read.source);
  if (uses.length === 0) return read;
  const made = await Promise.all(uses.map((use) => instance(use, read.source, around)));
  const problems = made.flatMap((one) => (Array.isArray(one) ? one : []));
  if (problems.length > 0) return problems;
  const layers = [...made.flatMap((one) => (Array.isArray(one) ? [] : [one])), read];
  const source = mergeLayered(
    layers.map((one) => one.source),
    read.source,
  );
  if (Array.isArray(source)) return source;
  return {
    source,
    perServer: oneAfterAnother(layers.map(({ perServer }) => perServer)),
    outputs: new Map(layers.flatMap(({ outputs = new Map() }) => [...outputs])),
    resolved: Object.assign({}, ...layers.map(({ resolved }) => resolved)),
  };
}

const oneAfterAnother =
  (all: readonly ServerInterpolation[]): ServerInterpolation =>
  (config, server, others) =>
    all.reduce((before, perServer) => perServer(before, server, others), config);

interface Use {
  name: string;
  parameters: Readonly<Record<string, unknown>>;
  path: Path;
}

/** Invalid uses of templates are omitted, because the schema reports them. */
function usesIn({ value }: Source): Use[] {
  const use = isRecord(value) ? value.use : undefined;
  if (typeof use === 'string') return [{ name: use, parameters: {}, path: ['use'] }];
  if (!isRecord(use)) return [];
  return Object.entries(use).flatMap(([name, given]) =>
    given === null || isRecord(given) ? [{ name, parameters: given ?? {}, path: ['use', name] }] : [],
  );
}

async function instance({ name, parameters, path }: Use, main: Source, around: Around): Promise<InterpolatedSource | Problem[]> {
  const say = (at: Path, message: string, suggestion?: string): Problem => {
    const { path: there = at, ...place } = main.place(at, 'key');
    return { file: main.file, ...place, path: pathText(there), message, ...(suggestion ? { suggestion } : {}) };
  };
  const files = await templateFiles(around.isWorkspace ? around.root : undefined);
  const found = files.find((one) => one.name === name);
  if (!found)
    return [
      say(
        path,
        `there is no template "${name}"`,
        didYouMean(
          name,
          files.map((one) => one.name),
        ),
      ),
    ];
  const template = await readTemplate(found);
  if (Array.isArray(template)) return template;
  const problems = give(template, parameters, main, path, say);
  if (problems.length > 0) return problems;
  const { root, workspace, input } = around;
  const infra = isRecord(main.value) && typeof main.value.infra === 'string' ? main.value.infra : '';
  const worked = await workOut(template.source, template.parameters, { root, workspace, input, infra });
  return Array.isArray(worked) ? worked : { ...worked, source: asLayer(worked.source, template, main) };
}

/** Gives parameters their values. @returns what is wrong with them */
function give(
  { parameters, source, sizes }: Template,
  given: Readonly<Record<string, unknown>>,
  main: Source,
  path: Path,
  say: (at: Path, message: string, suggestion?: string) => Problem,
): Problem[] {
  const problems: Problem[] = [];
  const { [SIZE]: size, ...others } = given;
  const values = sizes.size > 0 && size !== undefined && size !== null ? sizes.get(String(size)) : undefined;
  if (sizes.size > 0 && size !== undefined && size !== null && !values)
    problems.push(
      say([...path, SIZE], `the template has no size "${clipText(String(size))}"`, didYouMean(String(size), sizes.keys())),
    );
  for (const [name, value] of values ?? []) {
    const parameter = parameters.get(name);
    if (parameter) parameter.value = value;
  }
  for (const [name, value] of Object.entries(sizes.size > 0 ? others : given)) {
    const at = [...path, name];
    const parameter = parameters.get(name);
    if (!parameter)
      problems.push(
        say(
          at,
          `the template has no parameter "${name}"`,
          didYouMean(name, [...parameters.keys(), ...(sizes.size > 0 ? [SIZE] : [])]),
        ),
      );
    else if (parameter.sensitive)
      problems.push(
        say(at, `the parameter "${name}" is a secret: set the secret of this name instead`, `provisioning secret set ${name}`),
      );
    else if (value !== null) parameter.value = { value, source: main, path: at, literal: true };
  }
  for (const { name, value, sensitive, description } of parameters.values()) {
    if (value || sensitive) continue;
    const about = description ? `: ${description}` : '';
    problems.push(say(path, `the template needs the parameter "${name}"${about}`, `it is declared in ${source.file}`));
  }
  return problems;
}

/** A template as a layer below a definition: without what is only its own, and what a parameter says stands where that is given. */
function asLayer(worked: Source, { source, parameters }: Template, main: Source): Source {
  const { vars: _, description: __, interpolate: ___, sizes: ____, ...value } = worked.value as Record<string, unknown>;
  return {
    ...worked,
    value,
    place: (path, at) => {
      const given = at === 'value' ? parameters.get(parameterAt(source.value, path) ?? '')?.value : undefined;
      if (given?.source !== main) return source.place(path, at);
      return { path: given.path, ...main.place(given.path, 'value'), file: main.file };
    },
  };
}

/** The parameter that a text of a template is, and nothing else. */
function parameterAt(value: unknown, path: Path): string | undefined {
  const text = path.reduce<unknown>(
    (inside, key) => (isRecord(inside) || Array.isArray(inside) ? (inside as Record<string | number, unknown>)[key] : undefined),
    value,
  );
  if (typeof text !== 'string' || !text.includes('{{')) return undefined;
  const [only, ...more] = partsOf(text) ?? [];
  const [name] = typeof only === 'object' && only.plain ? only.names : [];
  return more.length === 0 && name?.path[0] === 'vars' && name.path.length === 2 ? String(name.path[1]) : undefined;
}

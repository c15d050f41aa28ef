/** One thing wrong with a definition file, and where. */
export interface Problem {
  file: string;
  /** Counted from 1. */
  line: number;
  /** Counted from 1. */
  column: number;
  /** `servers[1].plan`; empty for the file as a whole. */
  path: string;
  message: string;
  /** A remedy, where one is known. */
  suggestion?: string;
  /** Code of the error that ends the command, if it is not `bad-definition`. */
  code?: string;
}

export type Path = readonly (string | number)[];

/** `servers[1].plan` */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** `infra.yaml:4:11: servers[1].plan: unknown plan "smal"; did you mean "small"?` */
export function problemText(problem: Problem): string {
  const { file, line, column, path, message, suggestion } = problem;
  const place = `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}`;
  return `${place}${message}${suggestion ? `; ${suggestion}` : ''}`;
}

/** In the order of the file, each once; file by file where there are several. */
export function sortProblems(problems: Problem[]): Problem[] {
  const once = new Map(problems.map((problem) => [problemText(problem), problem]));
  const files = [...new Set(problems.map(({ file }) => file))];
  const all = [...once.values()];
  return all.sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column);
}

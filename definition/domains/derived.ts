import { isDeepStrictEqual } from 'node:util';
import { taskservIn } from '../../core/taskserv/instances.js';
import type { Assignment } from '../place-taskservs.js';
import { overlayConfig } from '../references.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import type { DomainsAround } from './domains-around.js';

type Config = Record<string, unknown>;

/** Which server gets something, and the `domain` that it is for. */
export interface DomainClaim {
  server: string;
  path: Path;
}

/** Rank above all ranks of files: entries that follow from a domain win. */
const RANK = 4;

/** Services of servers, as declared and as they follow from domains. */
export class DomainServices {
  readonly #made = new Map<string, Assignment>();
  /** Service parts of zones, by server and taskserv. */
  readonly #parts = new Map<string, Config>();

  constructor(
    readonly entries: readonly Assignment[],
    readonly around: Pick<DomainsAround, 'servers' | 'taskservs' | 'defaultsOf'>,
    private readonly findings: Findings,
  ) {}

  all(): Assignment[] {
    return [...this.#made.values()];
  }

  /** The servers that entries put a taskserv on. */
  carriers(taskserv: string): string[] {
    const own = this.entries.filter((entry) => entry.taskserv.name === taskserv);
    return this.around.servers
      .filter((server) => own.some((entry) => entry.rank(server) !== undefined))
      .map(({ spec }) => spec.name);
  }

  /** Manual configuration of a service in the file, with its entries merged. */
  written(server: string, taskserv: string): Config {
    const expanded = this.around.servers.find(({ spec }) => spec.name === server);
    if (!expanded) return {};
    return this.entries
      .filter((entry) => entry.taskserv.name === taskserv && entry.rank(expanded) !== undefined)
      .sort((a, b) => (a.rank(expanded) ?? 0) - (b.rank(expanded) ?? 0))
      .reduce<Config>((under, { config }) => overlayConfig(under, config), {});
  }

  /** The same with what settings say below it, and what follows from domains above it. */
  config(server: string, taskserv: string): Config {
    const under = overlayConfig(this.around.defaultsOf(taskservIn(taskserv))?.config ?? {}, this.written(server, taskserv));
    return overlayConfig(under, this.#made.get(`${server}/${taskserv}`)?.config ?? {});
  }

  /**
   * First key of a zone's service part that differs from the manual configuration, or from another zone with names
   * there.
   */
  contradiction(server: string, taskserv: string, part: Config): string | undefined {
    const written = this.written(server, taskserv);
    const other = this.#parts.get(`${server}/${taskserv}`) ?? part;
    return [...new Set([...Object.keys(part), ...Object.keys(other)])].find(
      (key) =>
        !isDeepStrictEqual(other[key], part[key]) ||
        (key in part && written[key] !== undefined && !isDeepStrictEqual(written[key], part[key])),
    );
  }

  /** Lays what a zone says over what a service is configured with. @param configAt where the file says it */
  addPart(name: string, said: DomainClaim, part: Config, configAt: (inner: Path) => Path): void {
    this.#parts.set(`${said.server}/${name}`, part);
    this.add(name, said, part, configAt);
  }

  /** Lays something over what a service is configured with; its place is that of the domain, unless `configAt` says more. */
  add(name: string, { server, path }: DomainClaim, config: Config, configAt: (inner: Path) => Path = () => path): void {
    const taskserv = Object.hasOwn(this.around.taskservs, name) ? this.around.taskservs[name] : undefined;
    if (!taskserv) {
      this.findings.value(path, `a domain needs the taskserv "${name}", which is not there`);
      return;
    }
    const key = `${server}/${name}`;
    const before = this.#made.get(key);
    this.#made.set(key, {
      taskserv,
      path: before?.path ?? path,
      config: overlayConfig(before?.config ?? {}, config),
      rank: ({ spec }) => (spec.name === server ? RANK : undefined),
      configAt: before?.configAt ?? configAt,
    });
  }
}

/** What a program needs to run at all. */
const COMMON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'TZ', 'TMPDIR'];
/** What Go needs to find modules, its caches, and the way out. No credentials: private modules are none of the engine's. */
const BUILD = [
  ...['GOROOT', 'GOPATH', 'GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GONOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GOTOOLCHAIN', 'GOTMPDIR'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/**
 * The environment of the engine's server: what it needs by name, so that no
 * cloud token, key or setting of the user's for another service gets there.
 */
export const engineEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => pick(env, COMMON);

/** The environment of what builds or unpacks the engine. */
export const buildEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => pick(env, [...COMMON, ...BUILD]);

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

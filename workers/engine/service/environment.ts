/** Variables that every program needs to run. */
const COMMON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'TZ', 'TMPDIR'];
/** Variables that limit the memory of programs in Go, or give them more of it for less work. */
const MEMORY = ['GOGC', 'GOMEMLIMIT'];
/**
 * Variables by which Go finds modules, its caches and the network. No credentials: the engine has no private modules.
 */
const BUILD = [
  ...['GOROOT', 'GOPATH', 'GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GONOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GOTOOLCHAIN', 'GOTMPDIR'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/**
 * Returns the environment of the engine's server. It lists variables by name, so that no cloud token, key or setting
 * of another service gets there.
 */
export const engineEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => pick(env, [...COMMON, ...MEMORY]);

/** Returns the environment of programs that build or unpack the engine. */
export const buildEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => pick(env, [...COMMON, ...BUILD]);

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

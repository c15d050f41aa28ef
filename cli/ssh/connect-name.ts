/** Hidden command that ssh runs: `__connect WORKSPACE INFRA SERVER`. */
export const CONNECT = '__connect';

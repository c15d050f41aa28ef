/** `zod` for a module of a workspace: the same instance as in the SDK, for both ways of importing it. */
export * from 'zod';
// biome-ignore lint/style/noRestrictedImports: the build omits its languages (scripts/without-node.ts)
export { z as default } from 'zod';

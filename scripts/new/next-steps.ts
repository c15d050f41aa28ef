const STEPS = {
  taskserv: (name: string) => `
It installs the Debian package "${name}" and keeps the service "${name}" running. Next:
  1. taskservs/${name}/${name}.ts: description, category, versions (\`apt-cache policy ${name}\`), configuration, facts, plan, health
  2. taskservs/${name}/cases: one file for each situation; \`UPDATE_CASES=1 npx vitest run taskservs\` fills in the steps, for you to read; \`npm run format\` tidies them
  3. taskservs/${name}/README.md
  4. npx vitest run taskservs; \`npm run module-lists\` after a change of its category or description
  5. its proof in test/catalog/proofs; npm run catalog -- --prove --only ${name}
docs/extend/adding-a-taskserv.md goes through it with an example. No other file needs to change by hand.`,

  provider: (name: string) => `
It makes servers with volumes in a network, on a stand-in of its API in test/clouds/${name}. Next:
  1. npx vitest run test/contracts/${name}.test.ts test/clouds/${name}: both pass as they are
  2. grep -rn VENDOR: providers/${name} test/clouds/${name}: what is to be replaced by what the vendor's documentation says
  3. docs/extend/add-a-provider.md: from here to all cases of all kinds
No other folder needs to change.`,

  method: (name: string) => `
It counts the workflows of a workspace. Client, socket and permission list have it already. Next:
  1. what is to be asked, answered, allowed and done, in the file itself
  2. npm run method-reference: docs/reference/methods.md
  3. npm run new command "GROUP VERB" ${name}: a command that calls it
docs/extend/add-a-method.md goes through it with an example.`,

  command: (name: string) => `
provisioning ${name} works after npm run build. Next:
  1. details and examples for its --help, and what it prints
  2. npm run cli-reference: docs/reference/cli.md
docs/extend/add-a-command.md says what users expect of it.`,

  workflow: (name: string) => `
It names the providers that the worker has; the method that runs it can be called after npm run build. Next:
  1. core/schema/${name}.ts: what it is asked, and what it answers
  2. activities/inquiry/${name}.ts touches the world, workflows/inquiry/${name}.ts says in which order
  3. npm run record-histories -- ${name}: its history, which every later version replays
docs/extend/add-a-workflow.md goes through it with an example.`,
};

/** Returns the instructions to print after `npm run new`. */
export const nextSteps = (kind: keyof typeof STEPS, name: string): string => STEPS[kind](name);

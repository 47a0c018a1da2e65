/**
 * Resolves imports of our own modules without looking at the disk: they name their file, and its extension names its format. Node's own
 * resolution reads each file, every folder on the way and the package: a tenth of the time that a command takes.
 */
const { registerHooks } = process.getBuiltinModule('node:module');

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isOurs = specifier.startsWith('.') && specifier.endsWith('.ts');
    if (!isOurs || parentURL === undefined) return next(specifier, context);
    const { href } = new URL(specifier, parentURL);
    return { url: href, format: 'module-typescript', shortCircuit: true };
  },
});

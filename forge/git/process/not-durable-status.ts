/**
 * The git process's exit status that prevents its parent from restarting it.
 */
export const notDurableStatus = 70;

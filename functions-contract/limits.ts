// The limits of the service (docs/specification/functions.md 2; recorded answers).

/** Name of a function (spec). */
export const functionNameLengthMax = 64;
/** Timeout of a function (spec). */
export const timeoutSecondsMax = 900;
/** Timeout of a function that does not say it (spec). */
export const timeoutSecondsDefault = 3;
/** Memory of a function that does not say it, and the least that it may have (spec). */
export const memoryMiBDefault = 128;
/** Memory of a function (spec). */
export const memoryMiBMax = 32_768;
/** Ephemeral storage of a function that does not say it, and the least that it may have (spec). */
export const ephemeralStorageMiBDefault = 512;
/** Environment variables of a function as compact JSON. */
export const environmentBytesMax = 4096;
/** Layers of a function. */
export const layersMax = 5;
/** Request that updates a configuration. */
export const configurationRequestBytesMax = 5120;
/** Request with code. */
export const codeRequestBytesMax = 70_167_211;
/** Archive in a request. */
export const zippedBytesMax = 52_428_800;
/** Unpacked code of a function with its layers; also its archive in an object store. */
export const unzippedBytesMax = 262_144_000;
/** Entries of an archive, and folders that its paths make, of each. */
export const zipEntriesMax = 50_000;
/** Event of an invocation that waits for the response. */
export const invokeRequestBytesMax = 6_291_456;
/** Event of an asynchronous invocation. */
export const eventRequestBytesMax = 1_048_576;
/** Response of an invocation. */
export const invokeResponseBytesMax = 6_291_556;
/**
 * Archives of all versions of functions and layers together (`HOB_FUNCTION_CODE_MIB`), which GetAccountSettings reports; then
 * CodeStorageExceededException.
 */
export const codeBytesOfAccountMax = 80_530_636_800;
/** Tags of a function. */
export const tagsMax = 50;
/** Policy of a function, a version, an alias or a layer version, as its owner reads it. */
export const policyBytesMax = 20_480;
/** Items on a page of a list. */
export const listPageMax = 50;
/**
 * Invocations at the same time, of all functions. Those without a reservation, on one of several servers, have an equal share
 * of what reservations leave.
 */
export const concurrencyOfAccountMax = 1000;
/** Invocations at the same time that reservations must leave to the functions without one. */
export const concurrencyUnreservedMin = 100;
/** Start of a program, before its first event. */
export const initSecondsMax = 10;
/** End of the log in the response to an invocation. */
export const logTailBytesMax = 4096;
/** Times that an event is tried again after the function failed. */
export const eventRetriesMax = 2;
/** Times that one function is invoked in one chain of requests, unless its RecursiveLoop is Allow. */
export const invocationsOfChainMax = 16;
/**
 * Asynchronous events of one function that wait or run, and messages about them that their targets have not taken; then 429
 * `TooManyRequestsException` with `Retry-After: 10`.
 */
export const queuedEventsMax = 100_000;
/** Bytes of these events, with their client contexts, and of the messages; then the same. */
export const queuedEventBytesMax = 268_435_456;
/** Age of an event that could not be run. */
export const eventAgeSecondsMax = 21_600;

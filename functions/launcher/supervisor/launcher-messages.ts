/** The messages between the API process and the launcher process. */
import type { Isolation, LauncherStart } from '../isolation.ts';
import type {
  LoopbackConnection,
  PeerOwner,
  Program,
  ProgramEnd,
  SandboxSpec,
} from '../launcher.ts';

export type LauncherRequest =
  | { readonly do: 'begin'; readonly start: LauncherStart }
  /** Nothing but an answer. */
  | { readonly do: 'ping' }
  | { readonly do: 'open'; readonly sandbox: SandboxSpec }
  /** `program` is a number that the caller chose; it identifies the program from then on. */
  | {
      readonly do: 'start';
      readonly sandbox: string;
      readonly program: number;
      readonly spec: Program;
    }
  | { readonly do: 'listen'; readonly sandbox: string }
  /** The listener at the service's address. */
  | { readonly do: 'serve'; readonly sandbox: string }
  | { readonly do: 'connect'; readonly sandbox: string; readonly port: number }
  /** Who has the other ends of connections within this machine. */
  | { readonly do: 'owners'; readonly connections: readonly LoopbackConnection[] }
  | { readonly do: 'close'; readonly sandbox: string }
  | { readonly do: 'kill'; readonly program: number }
  | { readonly do: 'terminate'; readonly program: number }
  | { readonly do: 'throttle'; readonly program: number }
  | { readonly do: 'peak'; readonly program: number };

export interface LauncherCall {
  readonly call: number;
  readonly request: LauncherRequest;
}

export type LauncherResponse =
  | { readonly kind: 'ready'; readonly isolation: Isolation }
  /** `value` is the result of the call; a listener or a connection is passed together with the message. */
  | {
      readonly kind: 'done';
      readonly call: number;
      readonly value?: number;
      readonly owners?: readonly PeerOwner[];
    }
  | {
      readonly kind: 'failed';
      readonly call: number;
      readonly message: string;
      /** The disk was full. */
      readonly diskFull: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly program: number;
      readonly end: ProgramEnd;
      /** In bytes. */
      readonly peakMemory: number;
    };

/** Both ends are of the same version and share the channel with no other process, so the shape needs no check. */
export function callFrom(message: unknown): LauncherCall {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return message as LauncherCall;
}

export function reportFrom(message: unknown): LauncherResponse {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return message as LauncherResponse;
}

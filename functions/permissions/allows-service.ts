import { isArnLike } from './arn-like.ts';

/** A service that wants to invoke a function on behalf of a resource. */
export interface ServiceCaller {
  /** `codecommit.amazonaws.com` */
  readonly service: string;
  readonly sourceArn: string;
  readonly sourceAccount: string;
}

/**
 * Whether a statement of a function's policy lets a service invoke it. A condition that cannot be evaluated here is not fulfilled. The
 * statement must name the resource by SourceArn: one that names the service alone, or with an account, would allow the resources of every
 * user. AWS recommends to name it (https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html); on AWS an account belongs to
 * one party, and here all users share it.
 * https://docs.aws.amazon.com/lambda/latest/dg/permissions-function-services.html
 */
export function allowsService(statement: unknown, caller: ServiceCaller): boolean {
  if (!isRecord(statement)) return false;
  const { Effect, Principal, Action, Condition } = statement;
  const principal =
    Principal === '*' || (isRecord(Principal) && Principal['Service'] === caller.service);
  const action = typeof Action === 'string' && actions.has(Action);
  return Effect === 'Allow' && principal && action && isFulfilled(Condition, caller);
}

const actions = new Set(['lambda:InvokeFunction', 'lambda:*', '*']);

function isFulfilled(condition: unknown, { sourceArn, sourceAccount }: ServiceCaller): boolean {
  if (!isRecord(condition)) return false;
  const tests = Object.entries(condition).flatMap(([operator, keys]) =>
    Object.entries(isRecord(keys) ? keys : { invalid: keys }).map(([key, value]) => ({
      test: `${operator} ${key.toLowerCase()}`,
      value: String(value),
    })),
  );
  const namesResource = tests.some(({ test }) => test === sourceArnTest);
  return (
    namesResource &&
    tests.every(({ test, value }) => {
      if (test === sourceArnTest) return isArnLike(sourceArn, value);
      return test === 'StringEquals aws:sourceaccount' && value === sourceAccount;
    })
  );
}

const sourceArnTest = 'ArnLike aws:sourcearn';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

import { ServiceError } from '../errors/service-error.ts';

export function invalidParameter(message: string): ServiceError {
  return new ServiceError('InvalidParameterException', message);
}

export function noSuchGroup(): ServiceError {
  return new ServiceError('ResourceNotFoundException', 'The specified log group does not exist.');
}

export function noSuchStream(): ServiceError {
  return new ServiceError('ResourceNotFoundException', 'The specified log stream does not exist.');
}

export function invalidToken(): ServiceError {
  return invalidParameter('The specified nextToken is invalid.');
}

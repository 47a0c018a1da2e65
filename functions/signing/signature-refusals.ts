import { FunctionsError } from '../errors/functions-error.ts';

/** The messages are AWS's: clients show them, and users search for them. */
export function missingSignature(): FunctionsError {
  return new FunctionsError('MissingAuthenticationTokenException', 'Missing Authentication Token');
}

export function incompleteSignature(message: string): FunctionsError {
  return new FunctionsError('IncompleteSignatureException', message);
}

/** Also for a session token of another key, so as not to reveal which keys exist. */
export function unknownCredential(): FunctionsError {
  return new FunctionsError(
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  );
}

export function expiredCredential(): FunctionsError {
  return new FunctionsError(
    'ExpiredTokenException',
    'The security token included in the request is expired',
  );
}

export function invalidSignature(message: string): FunctionsError {
  return new FunctionsError('InvalidSignatureException', message);
}

export function wrongSignature(): FunctionsError {
  return invalidSignature(
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  );
}

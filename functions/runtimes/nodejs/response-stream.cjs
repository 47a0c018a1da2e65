// @ts-check
/** What a streaming handler writes its response to. */
'use strict';

const { Writable } = require('node:stream');
const { base, errorTypeHeader } = require('./runtime-connection.cjs');
const { failures } = require('./failures.cjs');
const { whenWritten } = require('./output.cjs');

/** @typedef {InstanceType<typeof import('./runtime-connection.cjs').RuntimeConnection>} Connection */

class ResponseStream extends Writable {
  /** @type {Connection} */
  #connection;
  #requestId;
  #contentType = 'application/octet-stream';
  /** @type {import('node:net').Socket | undefined} */
  #socket;
  /** @type {import('./failures.cjs').ErrorPayload | undefined} */
  #failure;
  /** @type {() => void} */
  #taken = () => {};
  /** @type {((write: (piece: string | Uint8Array) => void) => void) | undefined} */
  _onBeforeFirstWrite;

  /** Resolves when the Runtime API has the whole response. */
  taken = new Promise((/** @type {(value: void) => void} */ resolve) => {
    this.#taken = resolve;
  });

  /**
   * @param {Connection} connection
   * @param {string} requestId
   * @param {number | undefined} highWaterMark
   */
  constructor(connection, requestId, highWaterMark) {
    super(highWaterMark === undefined ? {} : { highWaterMark });
    this.#connection = connection;
    this.#requestId = requestId;
  }

  /** @param {string} contentType */
  setContentType(contentType) {
    if (this.#socket !== undefined || this.writableLength > 0) {
      throw failures.runtime('InvalidStreamingOperation', 'Cannot set content-type, too late.');
    }
    this.#contentType = contentType;
  }

  /**
   * Anything but text and bytes is written as JSON.
   * @override
   * @param {any} chunk
   * @param {any} [encoding]
   * @param {any} [callback]
   */
  write(chunk, encoding, callback) {
    this.#writePrelude();
    return super.write(
      typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : JSON.stringify(chunk),
      encoding,
      callback,
    );
  }

  /**
   * The base class would take a last piece past `write`.
   * @override
   * @returns {this}
   * @param {any} [chunk]
   * @param {any} [encoding]
   * @param {any} [callback]
   */
  end(chunk, encoding, callback) {
    if (typeof chunk === 'function') return this.end(undefined, undefined, chunk);
    if (this.#failure === undefined) this.#writePrelude();
    if (chunk !== undefined && chunk !== null) {
      this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
    }
    return super.end(typeof encoding === 'function' ? encoding : callback);
  }

  #writePrelude() {
    const before = this._onBeforeFirstWrite;
    this._onBeforeFirstWrite = undefined;
    before?.((piece) => super.write(piece));
  }

  /**
   * Ends the response with an error behind what was written.
   * @param {unknown} error
   */
  fail(error) {
    if (this.writableEnded) return;
    this.#failure = failures.payload(error);
    this.end();
  }

  /**
   * @override
   * @param {Buffer} chunk
   * @param {BufferEncoding} _encoding
   * @param {(error?: Error | null) => void} callback
   */
  _write(chunk, _encoding, callback) {
    const socket = this.#started();
    // An empty chunk would be the end.
    if (chunk.length === 0) {
      callback();
      return;
    }
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    socket.write('\r\n', callback);
    socket.uncork();
  }

  /**
   * @override
   * @param {(error?: Error | null) => void} callback
   */
  _final(callback) {
    const trailers =
      this.#failure === undefined
        ? ''
        : `${errorTypeHeader(this.#failure)}Lambda-Runtime-Function-Error-Body: ` +
          `${Buffer.from(JSON.stringify(this.#failure)).toString('base64')}\r\n`;
    whenWritten(() => this.#started().write(`0\r\n${trailers}\r\n`, callback));
  }

  /** The request begins with the first piece: until then its content type can change. */
  #started() {
    if (this.#socket !== undefined) return this.#socket;
    const socket = this.#connection.beginStream(
      `POST ${base}/invocation/${this.#requestId}/response HTTP/1.1\r\nHost: runtime\r\n` +
        `Content-Type: ${this.#contentType.replace(/[^\x20-\x7E]/g, '?')}\r\n` +
        'Lambda-Runtime-Function-Response-Mode: streaming\r\n' +
        'Trailer: Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n',
      this.#taken,
    );
    this.#socket = socket;
    return socket;
  }
}

/** Status and headers of an HTTP response in front of its body, for functions behind a URL. */
const HttpResponseStream = {
  /**
   * @param {InstanceType<typeof ResponseStream>} stream
   * @param {unknown} prelude
   */
  from(stream, prelude) {
    stream.setContentType('application/vnd.awslambda.http-integration-response');
    const text = JSON.stringify(prelude);
    stream._onBeforeFirstWrite = (write) => {
      write(text);
      write(new Uint8Array(8));
    };
    return stream;
  },
};

module.exports = { ResponseStream, HttpResponseStream };

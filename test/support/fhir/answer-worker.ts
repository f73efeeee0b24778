// The thread that validates answers: each message carries answers and the port to which their errors go.

import { type MessagePort, parentPort } from 'node:worker_threads';
import { createAnswerValidator } from './answer-errors.ts';
import type { ReceivedAnswer } from './received-answers.ts';

export interface ValidationRequest {
  answers: ReceivedAnswer[];
  port: MessagePort;
}

const validate = createAnswerValidator();
parentPort?.on('message', ({ answers, port }: ValidationRequest) => {
  port.postMessage(answers.map((answer) => validate(answer)));
});

// The files of docs/snippets, shown exactly as they are stored and as the tests run them.
import inboundCurl from '../../../../../../../docs/snippets/inbound.sh?raw';
import toolCallCurl from '../../../../../../../docs/snippets/tool-call.sh?raw';
import toolCallPython from '../../../../../../../docs/snippets/tool-call.py?raw';
import toolCallTypeScript from '../../../../../../../docs/snippets/tool-call.ts?raw';
import verifyOpenssl from '../../../../../../../docs/snippets/verify.sh?raw';
import verifyPython from '../../../../../../../docs/snippets/verify.py?raw';
import verifyTypeScript from '../../../../../../../docs/snippets/verify.ts?raw';
import type { CodeSample } from '#lib/samples/code-samples.ts';

type Samples = readonly [CodeSample, ...CodeSample[]];

export const TOOL_CALL_SAMPLES: Samples = [
  { language: 'curl', code: toolCallCurl },
  { language: 'TypeScript', code: toolCallTypeScript },
  { language: 'Python', code: toolCallPython },
];

export const VERIFY_SAMPLES: Samples = [
  { language: 'TypeScript', code: verifyTypeScript },
  { language: 'Python', code: verifyPython },
  { language: 'openssl', code: verifyOpenssl },
];

export const INBOUND_SAMPLES: Samples = [{ language: 'curl', code: inboundCurl }];

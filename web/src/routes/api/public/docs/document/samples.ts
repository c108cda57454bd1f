// The files of docs/snippets, shown exactly as they are stored and as the tests run them.
import inboundCurl from '../../../../../../../docs/snippets/inbound.sh?raw';
import submitCurl from '../../../../../../../docs/snippets/submit.sh?raw';
import submitPython from '../../../../../../../docs/snippets/submit.py?raw';
import submitTypeScript from '../../../../../../../docs/snippets/submit.ts?raw';
import toolCallCurl from '../../../../../../../docs/snippets/tool-call.sh?raw';
import toolCallPython from '../../../../../../../docs/snippets/tool-call.py?raw';
import toolCallTypeScript from '../../../../../../../docs/snippets/tool-call.ts?raw';
import verifyOpenssl from '../../../../../../../docs/snippets/verify.sh?raw';
import verifyPython from '../../../../../../../docs/snippets/verify.py?raw';
import verifyTypeScript from '../../../../../../../docs/snippets/verify.ts?raw';
import type { CodeSample } from '#lib/samples/code-samples.ts';

type Samples = readonly [CodeSample, ...CodeSample[]];

export const SUBMIT_SAMPLES: Samples = [
  { language: 'curl', code: submitCurl },
  { language: 'TypeScript', code: submitTypeScript },
  { language: 'Python', code: submitPython },
];

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

/** The environment variables of the snippets, with this service's URL filled in. */
export const environmentOf = (baseUrl: string, projectId: string): Samples => [
  {
    language: 'shell',
    code: [
      `export COUNTERSIGN_URL=${baseUrl}`,
      `export COUNTERSIGN_PROJECT_ID=${projectId || '…'}`,
      'export COUNTERSIGN_API_KEY=csk_…',
    ].join('\n'),
  },
];

// Sends steps as spans, in batches by OTLP over HTTP. The only place that uses the OpenTelemetry SDK.
import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Step, Traces } from './steps.ts';

const KINDS = { request: SpanKind.SERVER, event: SpanKind.INTERNAL, post: SpanKind.CLIENT } as const;
/** How long a stopping process tries to send its remaining spans, in milliseconds. */
const LAST_MS = 2000;

/**
 * Every process derives the same IDs: the trace ID is the item's ID, and its first span ID is the random half of it.
 */
function spanContextOf(itemId: string): SpanContext {
  const traceId = itemId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** Random IDs, except for the first span of an item. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  first: SpanContext | null = null;

  generateTraceId = (): string => this.first?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.first?.spanId ?? this.#random.generateSpanId();
}

/** See `openTraces`. Spans that the collector does not accept are dropped: nothing waits for it. */
export function sendTraces(url: string, share: number): Traces {
  const ids = new Ids();
  const provider = new TracerProvider({
    idGenerator: ids,
    sampler: new TraceIdRatioBasedSampler(share),
    resource: resourceFromAttributes({ 'service.name': 'countersign' }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer('countersign');
  const start = ({ itemId, first, name, kind, startedAt: startTime, attributes }: Step) => {
    const root = spanContextOf(itemId);
    const options = { kind: KINDS[kind], startTime, attributes: { ...attributes, 'countersign.item_id': itemId } };
    if (!first) return tracer.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, root));
    ids.first = root;
    try {
      return tracer.startSpan(name, options, ROOT_CONTEXT);
    } finally {
      ids.first = null;
    }
  };
  return {
    send: (step) => {
      const span = start(step);
      if (step.failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(step.endedAt);
    },
    stop: async () => {
      const late = new Promise((resolve) => setTimeout(resolve, LAST_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

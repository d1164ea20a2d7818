// The same sandbox as Stripe's official library for Node sees it. The address of the sandbox is in SANDBOX_URL.

const assert = require('node:assert/strict');
const http = require('node:http');
const { test } = require('node:test');
const Stripe = require('stripe');

const sandbox = new URL(process.env.SANDBOX_URL);
const options = { host: sandbox.hostname, port: sandbox.port, protocol: 'http', maxNetworkRetries: 0, telemetry: false };
const stripe = new Stripe('sk_test_of_the_official_client', options);

async function control(path, body) {
  const answer = await fetch(new URL(path, sandbox), { method: 'POST', body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

async function checkout(customer, price, mode, more = {}) {
  return stripe.checkout.sessions.create({
    mode,
    customer: customer.id,
    client_reference_id: 'u1',
    line_items: [{ price, quantity: 1 }],
    success_url: 'http://127.0.0.1:9/return?session={CHECKOUT_SESSION_ID}',
    ...more,
  });
}

const pay = (session, outcome = 'paid') => control(`/_sandbox/checkout/${session.id}`, { outcome });

async function refused(call, kind, facts) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message}`);
    for (const [name, value] of Object.entries(facts)) assert.equal(error[name], value, name);
    return true;
  });
}

test('customers are made, changed, listed page by page and deleted', async () => {
  const email = 'many.of.node@example.com';
  const made = [];
  for (let count = 0; count < 5; count += 1) made.push((await stripe.customers.create({ email, metadata: { count } })).id);
  const seen = [];
  for await (const customer of stripe.customers.list({ email, limit: 2 })) seen.push(customer.id);
  assert.deepEqual(seen, made.toReversed());
  const changed = await stripe.customers.update(made[0], { name: 'Ada', metadata: { count: '' } });
  assert.equal(changed.name, 'Ada');
  assert.deepEqual(changed.metadata, {});
  assert.equal((await stripe.customers.del(made[0])).deleted, true);
  assert.equal((await stripe.customers.retrieve(made[0])).deleted, true);
});

test('a subscription is bought, changed, cancelled and told', async () => {
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const session = await checkout(customer, 'price_monthly', 'subscription', { subscription_data: { metadata: { user: 'u1' } } });
  const done = await pay(session);
  const subscription = await stripe.subscriptions.retrieve(done.subscription, { expand: ['latest_invoice.payments'] });
  assert.equal(subscription.status, 'active');
  assert.equal(subscription.metadata.user, 'u1');
  assert.ok(subscription.items.data[0].current_period_end > subscription.items.data[0].current_period_start);
  assert.equal(subscription.latest_invoice.payments.data[0].status, 'paid');
  const ending = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  assert.equal(ending.cancel_at, subscription.items.data[0].current_period_end);
  const yearly = await stripe.subscriptions.update(subscription.id, {
    cancel_at_period_end: false,
    items: [{ id: subscription.items.data[0].id, price: 'price_yearly' }],
  });
  assert.equal(yearly.items.data[0].price.recurring.interval, 'year');
  const ended = await stripe.subscriptions.cancel(subscription.id);
  assert.equal(ended.status, 'canceled');
  const listed = await stripe.subscriptions.list({ customer: customer.id, status: 'all' });
  assert.deepEqual(listed.data.map((one) => one.id), [subscription.id]);
  const portal = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url: 'http://127.0.0.1:9/account' });
  assert.match(portal.url, /\/p\/session\//);
});

test('months are bought and refunded', async () => {
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const session = await checkout(customer, 'price_half_year', 'payment', { payment_intent_data: { metadata: { months: 6 } } });
  const done = await pay(session);
  const intent = await stripe.paymentIntents.retrieve(done.payment_intent, { expand: ['latest_charge'] });
  assert.equal(intent.latest_charge.paid, true);
  const part = await stripe.refunds.create({ payment_intent: intent.id, amount: 900 });
  assert.equal(part.status, 'succeeded');
  await stripe.refunds.create({ payment_intent: intent.id });
  assert.equal((await stripe.charges.retrieve(intent.latest_charge.id)).refunded, true);
});

test('errors have their class, code and parameter', async () => {
  const { errors } = Stripe;
  await refused(() => stripe.customers.retrieve('cus_x'), errors.StripeInvalidRequestError, { statusCode: 404, code: 'resource_missing' });
  await refused(() => checkout({ id: 'cus_x' }, 'price_monthly', 'subscription'), errors.StripeInvalidRequestError, {
    statusCode: 400,
    code: 'resource_missing',
    param: 'customer',
  });
  await refused(() => new Stripe('sk_live_1', options).customers.list(), errors.StripeAuthenticationError, { statusCode: 401 });
  const idempotencyKey = `node-${Date.now()}`;
  const first = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
  assert.equal((await stripe.customers.create({ name: 'Ada' }, { idempotencyKey })).id, first.id);
  await refused(() => stripe.customers.create({ name: 'Bob' }, { idempotencyKey }), errors.StripeIdempotencyError, { statusCode: 400 });
  await control('/_sandbox/fail', { path_prefix: '/v1/prices', status: 429 });
  await refused(() => stripe.prices.list(), errors.StripeRateLimitError, { statusCode: 429 });
  await control('/_sandbox/fail', { path_prefix: '/v1/prices', status: 502 });
  const patient = new Stripe('sk_test_of_the_official_client', { ...options, maxNetworkRetries: 1 });
  assert.ok((await patient.prices.list()).data.length > 0);
});

test('what is delivered is signed and has the form of an event', async () => {
  const letters = [];
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      letters.push({ body: Buffer.concat(parts), signature: request.headers['stripe-signature'] });
      response.end();
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['customer.created'] });
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  while (letters.length === 0) await new Promise((soon) => setTimeout(soon, 10));
  const { body, signature } = letters[0];
  const event = stripe.webhooks.constructEvent(body, signature, endpoint.secret);
  assert.equal(event.type, 'customer.created');
  assert.equal(event.data.object.id, customer.id);
  assert.deepEqual((await stripe.events.retrieve(event.id)).data.object, event.data.object);
  assert.throws(() => stripe.webhooks.constructEvent(`${body} `, signature, endpoint.secret), Stripe.errors.StripeSignatureVerificationError);
  await stripe.webhookEndpoints.del(endpoint.id);
  server.closeAllConnections();
  server.close();
});

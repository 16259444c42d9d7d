# SPDX-License-Identifier: GPL-3.0-or-later
"""make_week.py FOLDER: writes week.jsonl, an invented week of 24 spot instances as Amazon EventBridge
records it, and prices.json, the price history of the same week in the form of AWS. week.jsonl.gz
beside this file is `gzip -9n week.jsonl`. No cloud was asked: the rates below are made up."""

import datetime
import json
import math
import os
import random
import sys

SIZE, HOUR = 24, 3600
END = 7 * 24 * HOUR
BEGIN = datetime.datetime(2026, 6, 1, tzinfo=datetime.timezone.utc)  # a Monday
LOSSES_PER_H = 0.016  # of an instance, on average over the day
# Scarce hours: from when, how long, losses in the first minutes, and the mean wait for an instance
BURSTS = [(18.2, 2.5, 5, 2400), (63.4, 4.0, 9, 5400), (88.9, 1.5, 4, 1800), (117.1, 3.0, 7, 3600)]
USUAL_WAIT = 360  # s, for an instance in other hours

draw = random.Random(20260601).random
records = []  # (second, text)


def stamp(second):
    return (BEGIN + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


def digits(count):
    return "".join("0123456789abcdef"[int(16 * draw())] for _ in range(count))


def exponential(mean):
    return -mean * math.log(1 - draw())


def record(second, instance, kind, detail):
    """Adds an event unless the week has ended."""
    number = f"{digits(8)}-{digits(4)}-4{digits(3)}-a{digits(3)}-{digits(12)}"
    if second <= END:
        records.append((second, len(records), json.dumps({
            "version": "0", "id": number, "detail-type": kind, "source": "aws.ec2",
            "account": "123456789012", "time": stamp(second), "region": "us-east-1",
            "resources": [f"arn:aws:ec2:us-east-1:123456789012:instance/{instance}"],
            "detail": {"instance-id": instance, **detail}})))


def state(second, instance, name):
    record(second, instance, "EC2 Instance State-change Notification", {"state": name})


def launch(second):
    """A new instance; it boots for a while."""
    instance = "i-0" + digits(16)
    state(second, instance, "pending")
    state(second + 8 + int(20 * draw()), instance, "running")
    return instance


def warn(second, instance):
    """Takes an instance with a notice of two minutes; returns when it is gone."""
    if draw() < 0.6:
        record(max(second - 60 - int(900 * draw()), 0), instance,
               "EC2 Instance Rebalance Recommendation", {})
    record(second, instance, "EC2 Spot Instance Interruption Warning",
           {"instance-action": "terminate"})
    state(second + 120, instance, "shutting-down")
    state(second + 150 + int(45 * draw()), instance, "terminated")
    return second + 120


def weight(second):
    """Losses follow the working day, less so at weekends."""
    hour, day = second / HOUR % 24, second // (24 * HOUR)
    return (1 + 0.8 * math.cos((hour - 19) * math.pi / 12)) * (0.6 if day >= 5 else 1)


def scarcity(second):
    """The mean wait for an instance."""
    waits = [wait for begin, length, _, wait in BURSTS if 0 <= second / HOUR - begin < length]
    return waits[0] if waits else USUAL_WAIT


def write_week(file):
    """Goes through the week minute by minute."""
    running = []  # (instance, since)
    arrivals = [2 * j for j in range(SIZE)]  # seconds at which instances come
    for second in range(0, END, 60):
        for arrival in sorted(at for at in arrivals if at < second + 60):
            running.append((launch(arrival), arrival))
            arrivals.remove(arrival)
        losses = sum(draw() < LOSSES_PER_H / 60 * weight(second) for _ in running)
        for begin, _, count, _ in BURSTS:
            if 0 <= second / HOUR - begin < 0.1:  # six minutes
                losses += int(count / 6 + draw())
        for _ in range(losses):
            old = [j for j, (_, since) in enumerate(running) if second - since > 1200]
            if old:
                instance, _ = running.pop(old[int(len(old) * draw())])
                gone = warn(second + int(50 * draw()), instance)
                arrivals.append(gone + 45 + int(exponential(scarcity(second))))
        if second == 101 * HOUR:  # an instance that is ill is given back
            instance, _ = running.pop(0)
            state(second, instance, "shutting-down")
            state(second + 31, instance, "terminated")
            arrivals.append(second + 95)
        if second % (9 * HOUR) == 2 * HOUR:  # a recommendation that nothing comes of
            record(second + 17, running[0][0], "EC2 Instance Rebalance Recommendation", {})
    for _, _, text in sorted(records):
        file.write(text + "\n")


def write_prices(file):
    """Two zones, newest first, as the command of AWS prints them."""
    history = []
    for zone, level in (("us-east-1a", 11.1), ("us-east-1b", 9.8)):
        price, second = level, -5 * HOUR
        while second < END:
            history.append({"AvailabilityZone": zone, "InstanceType": "p4d.24xlarge",
                            "ProductDescription": "Linux/UNIX", "SpotPrice": f"{price:.6f}",
                            "Timestamp": stamp(second).replace("Z", "+00:00")})
            price += 0.15 * (level - price) + 0.35 * (draw() - 0.5)
            second += 2 * HOUR + int(9 * HOUR * draw())
    history.sort(key=lambda item: item["Timestamp"], reverse=True)
    json.dump({"SpotPriceHistory": history}, file, indent=4)
    file.write("\n")


os.makedirs(sys.argv[1], exist_ok=True)
for name, write in (("week.jsonl", write_week), ("prices.json", write_prices)):
    with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as out:
        write(out)
